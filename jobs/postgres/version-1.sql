-- SPDX-License-Identifier: MIT
-- Version 1 of the tables of a store in PostgreSQL, and their functions.
--
-- Times are milliseconds since 1970 by the server's clock.  jobs/README.md
-- describes the tables; add, complete and fail are for everybody, the other
-- functions are the library's.
--
-- Nobody waits for a transaction of a user's.  Whatever such a transaction may
-- call changes rows of its own only: a new job, or the job that it has claimed.
-- What follows from that for other jobs (the next one of a key, those that wait
-- for it) is written to the table later, and done by tidy() in a short
-- transaction of a worker's process once it is committed.

CREATE SCHEMA weir_jobs;

CREATE TABLE weir_jobs.store (
    one boolean PRIMARY KEY DEFAULT true CHECK (one),
    version integer NOT NULL
);
INSERT INTO weir_jobs.store VALUES (true, 1);

-- A handle of a process.  `list` is its last commit, so that a handle whose
-- connection was lost during a commit can find out how it has ended.
CREATE TABLE weir_jobs.client (
    id uuid PRIMARY KEY,
    list bigint NOT NULL,
    seen_at timestamptz NOT NULL DEFAULT now()
) WITH (fillfactor = 50);

CREATE TABLE weir_jobs.queue (
    name text PRIMARY KEY,
    is_paused boolean NOT NULL DEFAULT false,
    concurrency bigint NOT NULL DEFAULT 0,
    rate bigint NOT NULL DEFAULT 0,
    rate_period_ms bigint NOT NULL DEFAULT 1000,
    rate_at_us bigint NOT NULL DEFAULT 0,
    key_concurrency bigint NOT NULL DEFAULT 1,
    key_rate bigint NOT NULL DEFAULT 0,
    key_rate_period_ms bigint NOT NULL DEFAULT 1000
);

-- The keys of which no job may begin before a time.  is_awaited: jobs are behind
-- the key for that.  Whoever claims jobs of a queue with a key_rate has locked its
-- row, and nobody else writes to its rows here.
CREATE TABLE weir_jobs.pace (
    queue text,
    key text,
    at_us bigint NOT NULL,
    is_awaited boolean NOT NULL DEFAULT false,
    PRIMARY KEY (queue, key)
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02);
CREATE INDEX pace_due ON weir_jobs.pace (queue, is_awaited, at_us);

CREATE SEQUENCE weir_jobs.token;

CREATE TABLE weir_jobs.job (
    id bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
    queue text NOT NULL,
    state smallint NOT NULL,
    priority integer NOT NULL,
    run_at bigint NOT NULL,
    attempt bigint NOT NULL DEFAULT 0,
    attempts bigint NOT NULL,
    token bigint NOT NULL DEFAULT 0,
    lease_until bigint NOT NULL DEFAULT 0,
    owner text,
    key text,
    "unique" text,
    waits bigint NOT NULL DEFAULT 0,
    is_needed boolean NOT NULL DEFAULT false, -- jobs wait for this one
    backoff_ms bigint NOT NULL,
    backoff_max_ms bigint NOT NULL,
    timeout_ms bigint NOT NULL,
    keep_ms bigint NOT NULL,
    progress double precision NOT NULL DEFAULT 0,
    added_at bigint NOT NULL,
    finished_at bigint NOT NULL DEFAULT 0,
    expires_at bigint,
    reason text,
    result bytea,
    payload bytea NOT NULL
) WITH (autovacuum_vacuum_scale_factor = 0.02);

CREATE INDEX job_ready ON weir_jobs.job (queue, priority DESC, run_at, id)
    WHERE state = 0;
CREATE INDEX job_running ON weir_jobs.job (queue, lease_until)
    WHERE state = 1;
CREATE INDEX job_due ON weir_jobs.job (queue, run_at) WHERE state = 2;
CREATE INDEX job_key ON weir_jobs.job (queue, key, state, id)
    WHERE key IS NOT NULL AND state < 5;
CREATE UNIQUE INDEX job_unique ON weir_jobs.job (queue, "unique")
    WHERE "unique" IS NOT NULL AND state < 5;
CREATE INDEX job_dead ON weir_jobs.job (queue, id) WHERE state = 6;
CREATE INDEX job_expiry ON weir_jobs.job (expires_at)
    WHERE expires_at IS NOT NULL;

CREATE TABLE weir_jobs.dependency (
    needs bigint NOT NULL,
    job bigint NOT NULL,
    PRIMARY KEY (needs, job)
);
CREATE INDEX dependency_job ON weir_jobs.dependency (job);

-- A schedule, its next run, and the job that a run adds.
CREATE TABLE weir_jobs.schedule (
    queue text NOT NULL,
    name text NOT NULL,
    cron text NOT NULL,
    zone text NOT NULL,
    missed smallint NOT NULL, -- 0: skip, 1: one run makes up for all
    next_at bigint NOT NULL,
    priority integer NOT NULL,
    attempts bigint NOT NULL,
    key text,
    backoff_ms bigint NOT NULL,
    backoff_max_ms bigint NOT NULL,
    timeout_ms bigint NOT NULL,
    keep_ms bigint NOT NULL,
    payload bytea NOT NULL,
    PRIMARY KEY (queue, name)
);
CREATE INDEX schedule_due ON weir_jobs.schedule (next_at);

-- What is to be done for other jobs.  One of: a job that was added with a key
-- or after others; a job that is done and needed; a key that may be free.
CREATE TABLE weir_jobs.later (
    id bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
    job bigint,
    done bigint,
    queue text,
    key text
) WITH (autovacuum_vacuum_scale_factor = 0.02);

-- For people.
CREATE VIEW weir_jobs.jobs AS
SELECT id, queue,
       (ARRAY['ready', 'running', 'scheduled', 'behind', 'waiting', 'done',
              'dead', 'cancelled'])[state + 1] AS state,
       priority, attempt, attempts, key, "unique", owner, progress,
       to_timestamp(added_at / 1000.0) AS added,
       to_timestamp(run_at / 1000.0) AS due,
       CASE WHEN state = 1 THEN to_timestamp(lease_until / 1000.0) END AS lease,
       CASE WHEN finished_at > 0
            THEN to_timestamp(finished_at / 1000.0) END AS finished,
       reason, payload, result
FROM weir_jobs.job;

CREATE VIEW weir_jobs.schedules AS
SELECT queue, name, cron, zone,
       (ARRAY['skip', 'one'])[missed + 1] AS missed,
       to_timestamp(next_at / 1000.0) AS next, priority, attempts, key, payload
FROM weir_jobs.schedule;

-- ---- small things ----

-- The server's clock, unless a test has set weir_jobs.date_us.
CREATE FUNCTION weir_jobs.date_us() RETURNS bigint LANGUAGE sql AS $$
    SELECT coalesce(
        nullif(current_setting('weir_jobs.date_us', true), '')::bigint,
        (extract(epoch FROM clock_timestamp()) * 1000000)::bigint)
$$;

CREATE FUNCTION weir_jobs.date_ms() RETURNS bigint LANGUAGE sql AS $$
    SELECT weir_jobs.date_us() / 1000
$$;

CREATE FUNCTION weir_jobs.state_at(run_at bigint) RETURNS smallint
LANGUAGE sql AS $$
    SELECT CASE WHEN $1 > weir_jobs.date_ms() THEN 2 ELSE 0 END::smallint
$$;

-- Let processes that wait for a queue look at it; '' is all queues.
CREATE FUNCTION weir_jobs.notify(queue text) RETURNS void LANGUAGE sql AS $$
    SELECT pg_notify('weir_jobs', $1)
$$;

CREATE FUNCTION weir_jobs.backoff(first_ms bigint, most_ms bigint,
                                  attempt bigint)
RETURNS bigint LANGUAGE sql AS $$
    SELECT wait - floor(random() * (wait / 2 + 1))::bigint
    FROM (SELECT least($2::float8,
                       $1 * power(2.0::float8, least($3 - 1, 100)))::bigint
                 AS wait) AS w
$$;

-- Whether the run of a schedule is due.
CREATE FUNCTION weir_jobs.is_run_due(date_ms bigint) RETURNS boolean
LANGUAGE plpgsql AS $$
BEGIN
    RETURN EXISTS (SELECT FROM weir_jobs.schedule AS s
                   WHERE s.next_at <= date_ms);
END
$$;

-- Begin a list of a handle: refuse another version of the tables, and note the
-- number of the list with the client, if it changes anything.  Returns whether
-- runs are due.
CREATE FUNCTION weir_jobs.start(of_version integer, client uuid, list bigint,
                                date_us bigint)
RETURNS boolean LANGUAGE plpgsql AS $$
#variable_conflict use_variable
BEGIN
    IF (SELECT s.version FROM weir_jobs.store AS s WHERE s.one)
        <> of_version THEN
        RAISE EXCEPTION 'the store was written by a newer version of weir'
            USING ERRCODE = 'WJ001';
    END IF;
    IF date_us IS NOT NULL THEN
        PERFORM set_config('weir_jobs.date_us', date_us::text, true);
    END IF;
    IF client IS NOT NULL THEN
        UPDATE weir_jobs.client AS c SET list = start.list, seen_at = now()
            WHERE c.id = client;
        IF NOT FOUND THEN
            INSERT INTO weir_jobs.client VALUES (client, list);
            DELETE FROM weir_jobs.client AS c
                WHERE c.seen_at < now() - interval '7 days';
        END IF;
    END IF;
    RETURN weir_jobs.is_run_due(weir_jobs.date_ms());
END
$$;

-- ---- adding ----

CREATE FUNCTION weir_jobs.find_unique(of_queue text, of_unique text)
RETURNS bigint LANGUAGE sql AS $$
    SELECT j.id FROM weir_jobs.job AS j
    WHERE j.queue = $1 AND j."unique" = $2 AND j."unique" IS NOT NULL
        AND j.state < 5
$$;

-- Why a job cannot run after others, or NULL.
CREATE FUNCTION weir_jobs.check_after(after bigint[]) RETURNS text
LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT FROM unnest(after) AS n WHERE n < 1 OR n >
               (SELECT CASE WHEN is_called THEN last_value ELSE 0 END
                FROM weir_jobs.job_id_seq)) THEN
        RETURN 'never added';
    END IF;
    IF EXISTS (SELECT FROM weir_jobs.job AS j
               WHERE j.id = ANY (after) AND j.state = 7) THEN
        RETURN 'cancelled';
    END IF;
    RETURN NULL;
END
$$;

CREATE FUNCTION weir_jobs.insert_job(
    queue text, payload bytea, key text, "unique" text, priority integer,
    delay_ms bigint, run_at bigint, attempts bigint, backoff_ms bigint,
    backoff_max_ms bigint, timeout_ms bigint, keep_ms bigint, after bigint[],
    OUT id bigint, OUT is_new boolean, OUT problem text)
LANGUAGE plpgsql AS $$
#variable_conflict use_variable
DECLARE
    now_ms bigint := weir_jobs.date_ms();
    due bigint := CASE WHEN run_at > 0 THEN run_at ELSE now_ms + delay_ms END;
    needs bigint[] := ARRAY(SELECT DISTINCT n FROM unnest(after) AS n);
    state smallint := CASE WHEN cardinality(needs) > 0 THEN 4
                           WHEN key IS NOT NULL THEN 3
                           WHEN due > now_ms THEN 2 ELSE 0 END;
BEGIN
    LOOP
        is_new := false;
        IF "unique" IS NOT NULL THEN
            id := weir_jobs.find_unique(queue, "unique");
            EXIT WHEN id IS NOT NULL;
        END IF;
        IF cardinality(needs) > 0 THEN
            problem := weir_jobs.check_after(needs);
            EXIT WHEN problem IS NOT NULL;
        END IF;
        INSERT INTO weir_jobs.job AS j (queue, state, priority, run_at,
                attempts, key, "unique", waits, backoff_ms, backoff_max_ms,
                timeout_ms, keep_ms, added_at, payload)
            VALUES (queue, state, priority, due, attempts, key, "unique",
                cardinality(needs), backoff_ms, backoff_max_ms, timeout_ms,
                keep_ms, now_ms, payload)
            ON CONFLICT DO NOTHING RETURNING j.id INTO id;
        is_new := id IS NOT NULL;
        EXIT WHEN is_new;
    END LOOP;
    IF is_new THEN
        IF cardinality(needs) > 0 THEN
            INSERT INTO weir_jobs.dependency (needs, job)
                SELECT n, id FROM unnest(needs) AS n;
        END IF;
        IF state IN (3, 4) THEN
            INSERT INTO weir_jobs.later (job) VALUES (id);
        END IF;
        PERFORM weir_jobs.notify(queue);
    END IF;
END
$$;

-- Add a job, in a transaction of the caller's.  Returns its id, or that of the
-- unfinished job with the same "unique".
CREATE FUNCTION weir_jobs.add(
    queue text, payload bytea DEFAULT '', key text DEFAULT NULL,
    "unique" text DEFAULT NULL, priority integer DEFAULT 0,
    delay_ms bigint DEFAULT 0, run_at timestamptz DEFAULT NULL,
    attempts integer DEFAULT 10, backoff_ms bigint DEFAULT 1000,
    backoff_max_ms bigint DEFAULT 3600000, timeout_ms bigint DEFAULT 0,
    keep_ms bigint DEFAULT 0, after bigint[] DEFAULT '{}')
RETURNS bigint LANGUAGE plpgsql AS $$
#variable_conflict use_variable
DECLARE
    made record;
BEGIN
    IF queue IS NULL OR octet_length(queue) NOT BETWEEN 1 AND 255
        OR octet_length(key) NOT BETWEEN 1 AND 255
        OR octet_length("unique") NOT BETWEEN 1 AND 255 THEN
        RAISE EXCEPTION 'a name or key is empty, or longer than 255 bytes'
            USING ERRCODE = 'invalid_parameter_value';
    END IF;
    IF least(delay_ms, backoff_ms, backoff_max_ms, timeout_ms) < 0
        OR attempts < 1 THEN
        RAISE EXCEPTION 'a number is out of range'
            USING ERRCODE = 'invalid_parameter_value';
    END IF;
    SELECT * INTO made FROM weir_jobs.insert_job(queue, payload, key, "unique",
        priority, delay_ms,
        coalesce(extract(epoch FROM run_at) * 1000, 0)::bigint,
        attempts, backoff_ms, backoff_max_ms, timeout_ms, keep_ms, after);
    IF made.problem IS NOT NULL THEN
        RAISE EXCEPTION 'a job that this one should run after was %',
            made.problem USING ERRCODE = 'foreign_key_violation';
    END IF;
    RETURN made.id;
END
$$;

-- ---- how attempts end: each returns false if the token is stale ----

-- A job has left its place for good.
CREATE FUNCTION weir_jobs.leave(of_queue text, of_key text, needed bigint)
RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    IF of_key IS NOT NULL OR needed IS NOT NULL THEN
        INSERT INTO weir_jobs.later (done, queue, key)
            VALUES (needed, of_queue, of_key);
    END IF;
    IF EXISTS (SELECT FROM weir_jobs.queue AS q
               WHERE q.name = of_queue AND q.concurrency > 0) THEN
        PERFORM weir_jobs.notify(of_queue);
    END IF;
END
$$;

CREATE FUNCTION weir_jobs.settle_done(of_id bigint, of_token bigint,
                                      with_result bytea)
RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
    job record;
    now_ms bigint := weir_jobs.date_ms();
BEGIN
    DELETE FROM weir_jobs.job AS j
        WHERE j.id = of_id AND j.token = of_token AND j.state = 1
            AND j.keep_ms = 0
        RETURNING j.queue, j.key, j.is_needed INTO job;
    IF NOT FOUND THEN
        UPDATE weir_jobs.job AS j
            SET state = 5, result = with_result, finished_at = now_ms,
                expires_at = CASE WHEN j.keep_ms > 0
                                  THEN now_ms + j.keep_ms END,
                progress = 1
            WHERE j.id = of_id AND j.token = of_token AND j.state = 1
            RETURNING j.queue, j.key, j.is_needed INTO job;
    END IF;
    IF NOT FOUND THEN
        RETURN false;
    END IF;
    PERFORM weir_jobs.leave(job.queue, job.key,
                            CASE WHEN job.is_needed THEN of_id END);
    RETURN true;
END
$$;

CREATE FUNCTION weir_jobs.settle_failed(of_id bigint, of_token bigint,
                                        why text, is_final boolean,
                                        delay_ms bigint)
RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
    job record;
    now_ms bigint := weir_jobs.date_ms();
BEGIN
    UPDATE weir_jobs.job AS j
        SET state = CASE WHEN is_final OR j.attempt >= j.attempts
                         THEN 6 ELSE 2 END,
            reason = why,
            run_at = CASE WHEN is_final OR j.attempt >= j.attempts
                          THEN j.run_at
                          WHEN delay_ms > 0 THEN now_ms + delay_ms
                          ELSE now_ms + weir_jobs.backoff(
                              j.backoff_ms, j.backoff_max_ms, j.attempt) END,
            finished_at = CASE WHEN is_final OR j.attempt >= j.attempts
                               THEN now_ms ELSE 0 END
        WHERE j.id = of_id AND j.token = of_token AND j.state = 1
        RETURNING j.queue, j.key, j.state INTO job;
    IF NOT FOUND THEN
        RETURN false;
    END IF;
    IF job.state = 6 THEN
        PERFORM weir_jobs.leave(job.queue, job.key, NULL);
    END IF;
    PERFORM weir_jobs.notify(job.queue);
    RETURN true;
END
$$;

CREATE FUNCTION weir_jobs.settle_released(of_id bigint, of_token bigint,
                                          why text, delay_ms bigint)
RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
    of_queue text;
BEGIN
    UPDATE weir_jobs.job AS j
        SET state = CASE WHEN delay_ms > 0 THEN 2 ELSE 0 END,
            run_at = CASE WHEN delay_ms > 0
                          THEN weir_jobs.date_ms() + delay_ms
                          ELSE j.run_at END,
            attempt = j.attempt - 1, reason = coalesce(why, j.reason)
        WHERE j.id = of_id AND j.token = of_token AND j.state = 1
        RETURNING j.queue INTO of_queue;
    IF NOT FOUND THEN
        RETURN false;
    END IF;
    PERFORM weir_jobs.notify(of_queue);
    RETURN true;
END
$$;

-- Complete a claimed job in a transaction of the handler's: what it has done and
-- the completion happen together, or not at all.
CREATE FUNCTION weir_jobs.complete(job bigint, token bigint,
                                   result bytea DEFAULT NULL)
RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    IF NOT weir_jobs.settle_done($1, $2, $3) THEN
        RAISE EXCEPTION 'the lease of job % has ended', $1
            USING ERRCODE = 'WJ002';
    END IF;
    PERFORM weir_jobs.notify('');
END
$$;

CREATE FUNCTION weir_jobs.fail(job bigint, token bigint,
                               reason text DEFAULT NULL,
                               is_final boolean DEFAULT false,
                               delay_ms bigint DEFAULT 0)
RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    IF NOT weir_jobs.settle_failed($1, $2, $3, $4, $5) THEN
        RAISE EXCEPTION 'the lease of job % has ended', $1
            USING ERRCODE = 'WJ002';
    END IF;
    PERFORM weir_jobs.notify('');
END
$$;

-- Renew leases.  Returns the tokens that are stale, and then 0 if the run of a
-- schedule is due.  A job that another
-- transaction is changing is neither renewed nor stale: nobody can take it while
-- that transaction lasts.
CREATE FUNCTION weir_jobs.renew(ids bigint[], tokens bigint[],
                                leases_ms bigint[], date_us bigint)
RETURNS SETOF bigint LANGUAGE sql AS $$
    WITH asked AS (
        SELECT * FROM unnest($1, $2, $3) AS a (id, token, lease_ms)
    ), mine AS MATERIALIZED (
        SELECT j.id, a.lease_ms
        FROM weir_jobs.job AS j JOIN asked AS a USING (id, token)
        WHERE j.state = 1 FOR UPDATE OF j SKIP LOCKED
    ), done AS (
        UPDATE weir_jobs.job AS j
        SET lease_until = coalesce($4, weir_jobs.date_us()) / 1000 + m.lease_ms
        FROM mine AS m WHERE j.id = m.id
    )
    SELECT s.token FROM (
        SELECT a.token FROM asked AS a
        WHERE NOT EXISTS (SELECT FROM weir_jobs.job AS j WHERE j.id = a.id
                          AND j.token = a.token AND j.state = 1)
        UNION ALL
        SELECT 0 WHERE weir_jobs.is_run_due(
            coalesce($4, weir_jobs.date_us()) / 1000)
    ) AS s ORDER BY s.token DESC
$$;

CREATE FUNCTION weir_jobs.set_progress(of_id bigint, of_token bigint,
                                       to_part double precision)
RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
    UPDATE weir_jobs.job AS j SET progress = to_part
        WHERE j.id = of_id AND j.token = of_token AND j.state = 1;
    RETURN FOUND;
END
$$;

-- ---- from outside ----

-- Cancel a job and all that wait for it.  Returns NULL if there is no such
-- unfinished job, the token of the claim that has ended, or 0.
CREATE FUNCTION weir_jobs.cancel(of_id bigint) RETURNS bigint
LANGUAGE plpgsql AS $$
DECLARE
    job record;
    next bigint;
    ended bigint;
    now_ms bigint := weir_jobs.date_ms();
BEGIN
    FOR next IN
        WITH RECURSIVE later (id) AS (
            SELECT of_id UNION SELECT d.job FROM weir_jobs.dependency AS d
            JOIN later AS l ON d.needs = l.id)
        SELECT l.id FROM later AS l ORDER BY l.id
    LOOP
        SELECT j.queue, j.key, j.state, j.token, j.keep_ms INTO job
            FROM weir_jobs.job AS j WHERE j.id = next AND j.state < 5
            FOR UPDATE;
        IF NOT FOUND THEN
            EXIT WHEN next = of_id;
            CONTINUE;
        END IF;
        IF next = of_id THEN
            ended := CASE WHEN job.state = 1 THEN job.token ELSE 0 END;
        END IF;
        UPDATE weir_jobs.job AS j
            SET state = 7, finished_at = now_ms,
                expires_at = CASE WHEN job.keep_ms > 0
                                  THEN now_ms + job.keep_ms
                                  WHEN job.keep_ms = 0
                                  THEN now_ms + 24 * 3600 * 1000 END
            WHERE j.id = next;
        DELETE FROM weir_jobs.dependency AS d WHERE d.needs = next;
        PERFORM weir_jobs.leave(job.queue, job.key, NULL);
    END LOOP;
    RETURN ended;
END
$$;

-- Jobs of a queue that are in a state, by their ids.  The state is part of the
-- query's text, so that the planner knows which partial indexes hold it.
CREATE FUNCTION weir_jobs.list(of_queue text, of_state smallint, after bigint,
                               most bigint)
RETURNS SETOF weir_jobs.job LANGUAGE plpgsql AS $$
BEGIN
    RETURN QUERY EXECUTE format(
        'SELECT * FROM weir_jobs.job AS j WHERE j.queue = $1 AND j.state = %s '
        'AND j.id > $2 ORDER BY j.id LIMIT $3', of_state)
        USING of_queue, after, most;
END
$$;

-- Retry a dead job.  It stays dead while another one with its "unique" is not
-- finished.
CREATE FUNCTION weir_jobs.retry(of_id bigint) RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE
    job record;
BEGIN
    BEGIN
        UPDATE weir_jobs.job AS j
            SET state = CASE WHEN j.key IS NULL THEN 0 ELSE 3 END,
                attempt = 0, run_at = weir_jobs.date_ms(), finished_at = 0
            WHERE j.id = of_id AND j.state = 6
            RETURNING j.queue, j.key INTO job;
        IF NOT FOUND THEN
            RETURN false;
        END IF;
    EXCEPTION WHEN unique_violation THEN
        RETURN false;
    END;
    IF job.key IS NOT NULL THEN
        INSERT INTO weir_jobs.later (queue, key) VALUES (job.queue, job.key);
    END IF;
    PERFORM weir_jobs.notify(job.queue);
    RETURN true;
END
$$;

CREATE FUNCTION weir_jobs.retry_all(of_queue text) RETURNS bigint
LANGUAGE plpgsql AS $$
DECLARE
    dead bigint;
    retried bigint := 0;
BEGIN
    FOR dead IN SELECT j.id FROM weir_jobs.job AS j
        WHERE j.queue = of_queue AND j.state = 6 ORDER BY j.id
    LOOP
        IF weir_jobs.retry(dead) THEN
            retried := retried + 1;
        END IF;
    END LOOP;
    RETURN retried;
END
$$;

-- The lock of a queue's limit for keys.  Whoever lets jobs of a key go on shares
-- it until its commit, and whoever changes the limit waits for all of them: so
-- either they have read the new limit, or the jobs that they have left behind
-- are seen by the one who changes it.
CREATE FUNCTION weir_jobs.limit_lock(queue text) RETURNS bigint
LANGUAGE sql IMMUTABLE AS $$
    SELECT hashtextextended($1, 1801812339)
$$;

CREATE FUNCTION weir_jobs.set_limits(queue text, concurrency bigint,
                                     rate bigint, rate_period_ms bigint,
                                     key_concurrency bigint, key_rate bigint,
                                     key_rate_period_ms bigint)
RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO weir_jobs.queue AS q (name, concurrency, rate, rate_period_ms,
                                      key_concurrency, key_rate,
                                      key_rate_period_ms)
        VALUES ($1, $2, $3, $4, $5, $6, $7)
        ON CONFLICT (name) DO UPDATE
        SET concurrency = $2, rate = $3, rate_period_ms = $4,
            key_concurrency = $5, key_rate = $6, key_rate_period_ms = $7;
    DELETE FROM weir_jobs.pace AS p WHERE p.queue = $1 AND $6 = 0;
    PERFORM pg_advisory_xact_lock(weir_jobs.limit_lock($1));
    INSERT INTO weir_jobs.later (queue, key)
        SELECT DISTINCT j.queue, j.key FROM weir_jobs.job AS j
        WHERE j.queue = $1 AND j.key IS NOT NULL AND j.state = 3
            AND j.state < 5;
    PERFORM weir_jobs.notify($1);
END
$$;

-- Every queue, with its limits and the number of jobs in each state.  This reads
-- the whole table, which the handle's settings are not for.
CREATE FUNCTION weir_jobs.look()
RETURNS TABLE (name text, is_paused boolean, concurrency bigint, rate bigint,
               rate_period_ms bigint, oldest bigint, ready bigint,
               running bigint, scheduled bigint, behind bigint, waiting bigint,
               done bigint, dead bigint, cancelled bigint,
               key_concurrency bigint, key_rate bigint,
               key_rate_period_ms bigint)
LANGUAGE sql SET enable_seqscan = on SET enable_bitmapscan = on AS $$
    WITH n AS (SELECT j.queue, j.state, count(*) AS jobs, min(j.run_at) AS first
               FROM weir_jobs.job AS j GROUP BY 1, 2)
    SELECT name, coalesce(l.is_paused, false), coalesce(l.concurrency, 0),
           coalesce(l.rate, 0), coalesce(l.rate_period_ms, 0),
           min(n.first) FILTER (WHERE n.state = 0),
           max(n.jobs) FILTER (WHERE n.state = 0),
           max(n.jobs) FILTER (WHERE n.state = 1),
           max(n.jobs) FILTER (WHERE n.state = 2),
           max(n.jobs) FILTER (WHERE n.state = 3),
           max(n.jobs) FILTER (WHERE n.state = 4),
           max(n.jobs) FILTER (WHERE n.state = 5),
           max(n.jobs) FILTER (WHERE n.state = 6),
           max(n.jobs) FILTER (WHERE n.state = 7),
           coalesce(l.key_concurrency, 1), coalesce(l.key_rate, 0),
           coalesce(l.key_rate_period_ms, 0)
    FROM weir_jobs.queue AS l
        FULL JOIN (SELECT DISTINCT n.queue AS name FROM n) AS q USING (name)
        LEFT JOIN n ON n.queue = name
    GROUP BY 1, 2, 3, 4, 5, 15, 16, 17 ORDER BY name COLLATE "C"
$$;

CREATE FUNCTION weir_jobs.set_paused(queue text, is_paused boolean)
RETURNS void LANGUAGE sql AS $$
    INSERT INTO weir_jobs.queue AS q (name, is_paused) VALUES ($1, $2)
        ON CONFLICT (name) DO UPDATE SET is_paused = $2;
    SELECT weir_jobs.notify($1)
$$;

-- ---- schedules ----

-- Add a schedule, or change it.  Returns its next run: that which it had, if its
-- cron and its zone are as before, and that was a run (see fire).
CREATE FUNCTION weir_jobs.set_schedule(
    queue text, name text, cron text, zone text, missed smallint,
    next_at bigint, priority integer, attempts bigint, key text,
    backoff_ms bigint, backoff_max_ms bigint, timeout_ms bigint, keep_ms bigint,
    payload bytea)
RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    planned bigint;
BEGIN
    INSERT INTO weir_jobs.schedule AS s
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)
        ON CONFLICT ON CONSTRAINT schedule_pkey DO UPDATE
        SET cron = $3, zone = $4, missed = $5,
            next_at = CASE WHEN s.cron = $3 AND s.zone = $4
                               AND s.next_at % 1000 = 0
                           THEN s.next_at ELSE $6 END,
            priority = $7, attempts = $8, key = $9, backoff_ms = $10,
            backoff_max_ms = $11, timeout_ms = $12, keep_ms = $13,
            payload = $14
        RETURNING s.next_at INTO planned;
    PERFORM weir_jobs.notify($1);
    RETURN planned;
END
$$;

-- The date, alone in the first row, and the schedules that are due by it.  This
-- decides who fires them: rows that another process has locked are being fired,
-- or changed, and those that it has locked before are not due any more.
CREATE FUNCTION weir_jobs.runs()
RETURNS TABLE (date_ms bigint, queue text, name text, cron text, zone text)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
    now_ms bigint := weir_jobs.date_ms();
BEGIN
    RETURN QUERY SELECT now_ms, NULL::text, NULL::text, NULL::text, NULL::text;
    RETURN QUERY SELECT now_ms, s.queue, s.name, s.cron, s.zone
        FROM weir_jobs.schedule AS s WHERE s.next_at <= now_ms
        ORDER BY s.next_at FOR UPDATE SKIP LOCKED;
END
$$;

-- Add the job of a run, unless it was missed and is to be skipped, or the job of
-- the run before is not finished.  The caller has its row from runs().
CREATE FUNCTION weir_jobs.fire(of_queue text, of_name text, next bigint)
RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    s record;
BEGIN
    SELECT * INTO s FROM weir_jobs.schedule AS p
        WHERE p.queue = of_queue AND p.name = of_name;
    UPDATE weir_jobs.schedule AS p SET next_at = next
        WHERE p.queue = of_queue AND p.name = of_name;
    -- Not a run, but another look for a zone that was lost: see cron.h.
    IF s.next_at % 1000 <> 0 THEN
        RETURN;
    END IF;
    IF s.missed = 1 OR weir_jobs.date_ms() - s.next_at < 5 * 60 * 1000 THEN
        PERFORM weir_jobs.insert_job(s.queue, s.payload, s.key,
            'schedule ' || s.name, s.priority, 0, s.next_at, s.attempts,
            s.backoff_ms, s.backoff_max_ms, s.timeout_ms, s.keep_ms, '{}');
    END IF;
END
$$;

-- ---- what commits and the passing of time ask for ----

-- The place of a job that no longer waits for others.  Returns its key's lock,
-- if it has one.
CREATE FUNCTION weir_jobs.place(of_id bigint) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    job record;
BEGIN
    UPDATE weir_jobs.job AS j
        SET state = CASE WHEN j.key IS NULL
                         THEN weir_jobs.state_at(j.run_at) ELSE 3 END
        WHERE j.id = of_id AND j.state = 4
        RETURNING j.queue, j.key INTO job;
    IF NOT FOUND THEN
        RETURN;
    END IF;
    IF job.key IS NULL THEN
        PERFORM weir_jobs.notify(job.queue);
    ELSE
        INSERT INTO weir_jobs.later (queue, key) VALUES (job.queue, job.key);
    END IF;
END
$$;

-- One of the jobs that a job needs is done.
CREATE FUNCTION weir_jobs.one_less(of_id bigint) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    left_over bigint;
BEGIN
    UPDATE weir_jobs.job AS j SET waits = j.waits - 1 WHERE j.id = of_id
        RETURNING j.waits INTO left_over;
    IF left_over = 0 THEN
        PERFORM weir_jobs.place(of_id);
    END IF;
END
$$;

-- Look at the jobs that a new one needs.  Those that are not done are marked, so
-- that whoever completes them tells.  Returns false if one of them is just being
-- changed: then look again.
CREATE FUNCTION weir_jobs.check_needs(of_id bigint) RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE
    need bigint;
    need_state smallint;
BEGIN
    FOR need IN SELECT d.needs FROM weir_jobs.dependency AS d
        WHERE d.job = of_id ORDER BY d.needs
    LOOP
        SELECT j.state INTO need_state FROM weir_jobs.job AS j
            WHERE j.id = need FOR UPDATE SKIP LOCKED;
        IF NOT FOUND AND EXISTS (SELECT FROM weir_jobs.job AS j
                                 WHERE j.id = need) THEN
            RETURN false;
        END IF;
        IF need_state = 7 THEN
            PERFORM weir_jobs.cancel(of_id);
            RETURN true;
        END IF;
        IF need_state IS NULL OR need_state = 5 THEN
            DELETE FROM weir_jobs.dependency AS d
                WHERE d.needs = need AND d.job = of_id;
            IF FOUND THEN
                PERFORM weir_jobs.one_less(of_id);
            END IF;
        ELSE
            UPDATE weir_jobs.job AS j SET is_needed = true
                WHERE j.id = need AND NOT j.is_needed;
        END IF;
    END LOOP;
    RETURN true;
END
$$;

-- Let the first jobs behind a key go on, up to the limit of their queue, if
-- nothing holds them up.  The caller has the key's lock, so nobody else makes a
-- job of the key active, and shares the lock of the limit.
CREATE FUNCTION weir_jobs.go_on(of_queue text, of_key text) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    room bigint;
    moved bigint;
BEGIN
    room := coalesce((SELECT q.key_concurrency FROM weir_jobs.queue AS q
                      WHERE q.name = of_queue), 1) -
        (SELECT count(*) FROM weir_jobs.job AS j
         WHERE j.queue = of_queue AND j.key = of_key AND j.key IS NOT NULL
             AND j.state < 3);
    IF room <= 0 THEN
        RETURN;
    END IF;
    UPDATE weir_jobs.job AS j SET state = weir_jobs.state_at(j.run_at)
        WHERE j.state = 3 AND j.id IN (
            SELECT b.id FROM weir_jobs.job AS b
            WHERE b.queue = of_queue AND b.key = of_key AND b.key IS NOT NULL
                AND b.state = 3 AND b.state < 5
                AND b.id < coalesce(
                    (SELECT min(w.id) FROM weir_jobs.job AS w
                     WHERE w.queue = of_queue AND w.key = of_key
                         AND w.key IS NOT NULL AND w.state = 4
                         AND w.state < 5), 9223372036854775807)
            ORDER BY b.id LIMIT room);
    GET DIAGNOSTICS moved = ROW_COUNT;
    IF moved > 0 THEN
        PERFORM weir_jobs.notify(of_queue);
    END IF;
END
$$;

-- Take what is to be done for jobs (is_keys: for keys) out of the table.
CREATE FUNCTION weir_jobs.take_later(is_keys boolean)
RETURNS SETOF weir_jobs.later LANGUAGE plpgsql AS $$
BEGIN
    RETURN QUERY DELETE FROM weir_jobs.later AS l WHERE l.id IN (
        SELECT i.id FROM weir_jobs.later AS i
        WHERE (i.job IS NULL AND i.done IS NULL) = is_keys
        ORDER BY i.id LIMIT 1000 FOR UPDATE SKIP LOCKED)
    RETURNING l.*;
END
$$;

-- Do what committed transactions have left to be done.  Returns whether
-- something must be looked at again.
CREATE FUNCTION weir_jobs.tidy_later() RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
    item record;
    dependent bigint;
    again boolean := false;
BEGIN
    FOR item IN SELECT t.* FROM weir_jobs.take_later(false) AS t ORDER BY t.id
    LOOP
        IF item.job IS NOT NULL AND NOT weir_jobs.check_needs(item.job) THEN
            INSERT INTO weir_jobs.later (job) VALUES (item.job);
            again := true;
        ELSIF item.job IS NOT NULL THEN
            INSERT INTO weir_jobs.later (queue, key)
                SELECT j.queue, j.key FROM weir_jobs.job AS j
                WHERE j.id = item.job AND j.state = 3;
        END IF;
        IF item.done IS NOT NULL THEN
            FOR dependent IN
                WITH free AS (DELETE FROM weir_jobs.dependency AS d
                              WHERE d.needs = item.done RETURNING d.job)
                SELECT f.job FROM free AS f ORDER BY f.job
            LOOP
                PERFORM weir_jobs.one_less(dependent);
            END LOOP;
        END IF;
        IF item.key IS NOT NULL THEN
            INSERT INTO weir_jobs.later (queue, key)
                VALUES (item.queue, item.key);
        END IF;
    END LOOP;
    -- In one order, so that two processes do not wait for each other: all locks
    -- of limits before those of the keys, which the sort sees to.  Only after
    -- the wait for a key's lock is it known which of its jobs are active.
    FOR item IN
        WITH taken AS MATERIALIZED (
            SELECT DISTINCT t.queue, t.key FROM weir_jobs.take_later(true) AS t
        ), shared AS MATERIALIZED (
            SELECT q.queue,
                   pg_advisory_xact_lock_shared(weir_jobs.limit_lock(q.queue))
            FROM (SELECT DISTINCT t.queue FROM taken AS t ORDER BY 1) AS q
        )
        SELECT t.queue, t.key,
               hashtextextended(t.queue || chr(1) || t.key, 2003134834) AS lock
        FROM taken AS t JOIN shared AS s ON s.queue = t.queue ORDER BY 3
    LOOP
        PERFORM pg_advisory_xact_lock(item.lock);
        PERFORM weir_jobs.go_on(item.queue, item.key);
    END LOOP;
    RETURN again;
END
$$;

-- End the leases that were not renewed.
CREATE FUNCTION weir_jobs.expire(queues text[]) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    job record;
BEGIN
    FOR job IN SELECT j.id, j.token FROM weir_jobs.job AS j
        WHERE j.queue = ANY (queues) AND j.state = 1
            AND j.lease_until <= weir_jobs.date_ms()
        FOR UPDATE SKIP LOCKED
    LOOP
        PERFORM weir_jobs.settle_failed(job.id, job.token,
            'the lease ended: the process of the worker died, or did not run',
            false, 0);
    END LOOP;
END
$$;

-- What each job of a key costs of the rate of its queue, or 0.
CREATE FUNCTION weir_jobs.key_interval_us(q weir_jobs.queue) RETURNS bigint
LANGUAGE sql IMMUTABLE AS $$
    SELECT CASE WHEN $1.key_rate > 0
        THEN ($1.key_rate_period_ms * 1000 + $1.key_rate - 1) / $1.key_rate
        ELSE 0 END
$$;

-- Let the keys go on whose interval is over.  A time that is further away than an
-- interval is of a clock that was set back.
CREATE FUNCTION weir_jobs.pass_paces(queues text[]) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    now_us bigint := weir_jobs.date_us();
    q record;
BEGIN
    FOR q IN SELECT l.name, weir_jobs.key_interval_us(l) AS interval_us
        FROM weir_jobs.queue AS l
        WHERE l.name = ANY (queues) AND l.key_rate > 0
    LOOP
        WITH over AS (
            DELETE FROM weir_jobs.pace AS p
            WHERE p.queue = q.name
                AND (p.at_us <= now_us OR p.at_us > now_us + q.interval_us)
            RETURNING p.key, p.is_awaited)
        INSERT INTO weir_jobs.later (queue, key)
            SELECT q.name, o.key FROM over AS o WHERE o.is_awaited;
    END LOOP;
END
$$;

-- Everything that comes before a claim of these queues.  Returns whether
-- something must be looked at again soon.
CREATE FUNCTION weir_jobs.tidy(queues text[]) RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE
    now_ms bigint := weir_jobs.date_ms();
BEGIN
    IF cardinality(queues) > 0 THEN
        PERFORM FROM weir_jobs.queue AS q
            WHERE q.name = ANY (queues)
                AND (q.concurrency > 0 OR q.rate > 0 OR q.key_rate > 0)
            ORDER BY q.name FOR UPDATE;
        PERFORM weir_jobs.pass_paces(queues);
        DELETE FROM weir_jobs.job AS j WHERE j.id IN (
            SELECT e.id FROM weir_jobs.job AS e
            WHERE e.expires_at IS NOT NULL AND e.expires_at <= now_ms
            LIMIT 100 FOR UPDATE SKIP LOCKED);
        PERFORM weir_jobs.expire(queues);
        UPDATE weir_jobs.job AS j SET state = 0 WHERE j.id IN (
            SELECT d.id FROM weir_jobs.job AS d
            WHERE d.queue = ANY (queues) AND d.state = 2 AND d.run_at <= now_ms
            FOR UPDATE SKIP LOCKED);
    END IF;
    RETURN weir_jobs.tidy_later();
END
$$;

-- ---- claiming ----

-- How many jobs of a queue may be claimed, and what each costs of the rate.  A
-- batch may begin when the last one has been paid for: each of its jobs costs an
-- interval.  Of `rate` jobs, at most `burst` begin together, and the interval
-- makes up for it.
CREATE FUNCTION weir_jobs.allow(of_queue text, OUT most bigint,
                                OUT interval_us bigint,
                                OUT key_interval_us bigint)
LANGUAGE plpgsql AS $$
DECLARE
    q weir_jobs.queue;
    burst bigint;
BEGIN
    most := 9223372036854775807;
    interval_us := 0;
    key_interval_us := 0;
    SELECT * INTO q FROM weir_jobs.queue AS l WHERE l.name = of_queue;
    IF NOT FOUND THEN
        RETURN;
    END IF;
    key_interval_us := weir_jobs.key_interval_us(q);
    IF q.concurrency > 0 THEN
        most := greatest(0, q.concurrency -
            (SELECT count(*) FROM weir_jobs.job AS j
             WHERE j.queue = of_queue AND j.state = 1));
    END IF;
    IF q.rate > 0 THEN
        burst := least(q.rate, greatest(1, q.rate * 10 / q.rate_period_ms));
        interval_us := (q.rate_period_ms * 1000 + q.rate - burst)
                       / (q.rate - burst + 1);
        most := least(most, burst);
        IF weir_jobs.date_us() < q.rate_at_us
            -- A clock that was set back: nothing is paid for longer than that.
            AND q.rate_at_us <= weir_jobs.date_us() + burst * interval_us THEN
            most := 0;
        END IF;
    END IF;
    IF q.is_paused THEN
        most := 0;
    END IF;
END
$$;

-- The first jobs that are ready and whose keys were paid for, at most `most` of
-- them, locked.  Their keys are paid for now; the jobs between them are put behind
-- their keys, which are awaited.
CREATE FUNCTION weir_jobs.hold(of_queue text, interval_us bigint, most bigint)
RETURNS bigint[] LANGUAGE plpgsql AS $$
DECLARE
    now_us bigint := weir_jobs.date_us();
    job record;
    free bigint[] := '{}';
    held bigint[] := '{}';
BEGIN
    FOR job IN SELECT j.id, j.key FROM weir_jobs.job AS j
        WHERE j.queue = of_queue AND j.state = 0
        ORDER BY j.priority DESC, j.run_at, j.id FOR UPDATE SKIP LOCKED
    LOOP
        EXIT WHEN cardinality(free) >= most;
        IF job.key IS NOT NULL THEN
            INSERT INTO weir_jobs.pace (queue, key, at_us)
                VALUES (of_queue, job.key, now_us + interval_us)
                ON CONFLICT DO NOTHING;
            IF NOT FOUND THEN
                UPDATE weir_jobs.pace AS p SET is_awaited = true
                    WHERE p.queue = of_queue AND p.key = job.key
                        AND NOT p.is_awaited;
                held := held || job.id;
                CONTINUE;
            END IF;
        END IF;
        free := free || job.id;
    END LOOP;
    UPDATE weir_jobs.job AS j SET state = 3 WHERE j.id = ANY (held);
    RETURN free;
END
$$;

CREATE FUNCTION weir_jobs.claim(of_queue text, most bigint, lease_ms bigint,
                                by_owner text)
RETURNS TABLE (id bigint, attempt bigint, attempts bigint, priority integer,
               progress double precision, added_at bigint, run_at bigint,
               timeout_ms bigint, keep_ms bigint, backoff_ms bigint,
               backoff_max_ms bigint, key text, "unique" text, reason text,
               payload bytea, token bigint)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
    allowed record;
    chosen bigint[]; -- NULL: keys have no rate
    taken bigint;
BEGIN
    SELECT * INTO allowed FROM weir_jobs.allow(of_queue);
    IF allowed.most = 0 THEN
        RETURN;
    END IF;
    IF allowed.key_interval_us > 0 THEN
        chosen := weir_jobs.hold(of_queue, allowed.key_interval_us,
                                 least(claim.most, allowed.most));
    END IF;
    RETURN QUERY
        WITH first AS MATERIALIZED (
            SELECT r.id FROM weir_jobs.job AS r
            WHERE r.queue = of_queue AND r.state = 0
                AND (chosen IS NULL OR r.id = ANY (chosen))
            ORDER BY r.priority DESC, r.run_at, r.id
            LIMIT least(claim.most, allowed.most) FOR UPDATE SKIP LOCKED
        ), mine AS (
            UPDATE weir_jobs.job AS j
            SET state = 1, attempt = j.attempt + 1, progress = 0,
                token = nextval('weir_jobs.token'), owner = by_owner,
                lease_until = weir_jobs.date_ms() + lease_ms
            FROM first AS f WHERE j.id = f.id RETURNING j.*
        )
        SELECT m.id, m.attempt, m.attempts, m.priority, m.progress, m.added_at,
               m.run_at, m.timeout_ms, m.keep_ms, m.backoff_ms,
               m.backoff_max_ms, m.key, m."unique", m.reason, m.payload, m.token
        FROM mine AS m ORDER BY m.priority DESC, m.run_at, m.id;
    GET DIAGNOSTICS taken = ROW_COUNT;
    IF allowed.interval_us > 0 AND taken > 0 THEN
        UPDATE weir_jobs.queue AS q
            SET rate_at_us = weir_jobs.date_us() + taken * allowed.interval_us
            WHERE q.name = of_queue;
    END IF;
END
$$;

-- In how many milliseconds it is worth looking at a queue again, or NULL: not
-- before something changes.  Jobs that are ready and may be claimed, but were
-- not, are locked by others.  They tell when they commit, but not if they die.
CREATE FUNCTION weir_jobs.due(of_queue text) RETURNS bigint
LANGUAGE plpgsql AS $$
DECLARE
    now_us bigint := weir_jobs.date_us();
    at_ms bigint;
    paid_us bigint;
    wait_ms bigint;
BEGIN
    at_ms := least(
        (SELECT min(j.run_at) FROM weir_jobs.job AS j
         WHERE j.queue = of_queue AND j.state = 2),
        (SELECT min(j.lease_until) FROM weir_jobs.job AS j
         WHERE j.queue = of_queue AND j.state = 1),
        (SELECT min(s.next_at) FROM weir_jobs.schedule AS s
         WHERE s.queue = of_queue),
        (SELECT least(p.at_us, now_us + weir_jobs.key_interval_us(q))
         FROM weir_jobs.pace AS p JOIN weir_jobs.queue AS q ON q.name = p.queue
         WHERE p.queue = of_queue AND p.is_awaited
         ORDER BY p.at_us LIMIT 1) / 1000 + 1,
        -- Results that expire one after the other wake once a second.
        (SELECT min(j.expires_at) + 1000 FROM weir_jobs.job AS j
         WHERE j.expires_at IS NOT NULL));
    wait_ms := at_ms - now_us / 1000;
    IF wait_ms <= 0 OR EXISTS (SELECT FROM weir_jobs.later) THEN
        wait_ms := 100; -- being changed by another process
    END IF;
    IF (wait_ms IS NULL OR wait_ms > 100) AND EXISTS (
            SELECT FROM weir_jobs.job AS j
            WHERE j.queue = of_queue AND j.state = 0) THEN
        IF (SELECT a.most > 0 FROM weir_jobs.allow(of_queue) AS a) THEN
            wait_ms := 100;
        ELSE
            paid_us := (SELECT q.rate_at_us FROM weir_jobs.queue AS q
                        WHERE q.name = of_queue AND NOT q.is_paused
                            AND q.rate > 0 AND q.rate_at_us > now_us);
            wait_ms := least(wait_ms, (paid_us - now_us + 999) / 1000);
        END IF;
    END IF;
    RETURN wait_ms;
END
$$;

-- ---- moving ----

-- Jobs of another store, until all of them are here.  `line` is a row of job as
-- JSON, with what it needs, and without what this store decides itself.
CREATE TABLE weir_jobs.incoming (
    id bigint PRIMARY KEY,
    line text NOT NULL
);

-- The stores whose jobs are here, by a checksum of the jobs and all settings.
CREATE TABLE weir_jobs.moved (
    checksum text PRIMARY KEY,
    at timestamptz NOT NULL DEFAULT now()
);

-- What this database is, whatever URL leads to it.
CREATE TABLE weir_jobs.place AS SELECT gen_random_uuid() AS id;

CREATE FUNCTION weir_jobs.line(job weir_jobs.job) RETURNS jsonb
LANGUAGE sql SET bytea_output = hex AS $$
    SELECT to_jsonb($1) - ARRAY['lease_until', 'is_needed'] ||
        jsonb_build_object('needs', coalesce(
            (SELECT jsonb_agg(d.needs ORDER BY d.needs)
             FROM weir_jobs.dependency AS d WHERE d.job = ($1).id), '[]'))
$$;

-- A checksum of checksums, as there may be more text than one value can hold.
CREATE FUNCTION weir_jobs.staged() RETURNS jsonb LANGUAGE sql AS $$
    SELECT jsonb_build_object('count', count(*), 'checksum', encode(sha256(
        coalesce(string_agg(sha256(convert_to(i.line, 'UTF8')), ''::bytea
                            ORDER BY i.id), ''::bytea)), 'hex'))
    FROM weir_jobs.incoming AS i
$$;

-- What a store has besides its jobs.
CREATE FUNCTION weir_jobs.describe() RETURNS jsonb
LANGUAGE sql SET bytea_output = hex AS $$
    SELECT jsonb_build_object(
        'place', (SELECT p.id FROM weir_jobs.place AS p),
        'lastId', (SELECT CASE WHEN i.is_called THEN i.last_value ELSE 0 END
                   FROM weir_jobs.job_id_seq AS i),
        'lastToken', (SELECT CASE WHEN t.is_called THEN t.last_value ELSE 0 END
                      FROM weir_jobs.token AS t),
        'jobs', (SELECT count(*) FROM weir_jobs.job),
        'queues', (SELECT coalesce(jsonb_agg(to_jsonb(q) - 'rate_at_us'
                                             ORDER BY q.name COLLATE "C"), '[]')
                   FROM weir_jobs.queue AS q),
        'schedules', (SELECT coalesce(jsonb_agg(to_jsonb(s)
                          ORDER BY s.queue COLLATE "C", s.name COLLATE "C"), '[]')
                      FROM weir_jobs.schedule AS s))
$$;

-- Make jobs of those that have come, as one change.  The caller has compared
-- nothing: this does, with what was sent and with what has become of it.
CREATE FUNCTION weir_jobs.import(meta jsonb) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    equal bigint;
BEGIN
    LOCK TABLE weir_jobs.job IN EXCLUSIVE MODE;
    IF EXISTS (SELECT FROM weir_jobs.moved AS m
               WHERE m.checksum = meta->>'identity') THEN
        RETURN;
    END IF;
    IF EXISTS (SELECT FROM weir_jobs.job) THEN
        RAISE EXCEPTION 'the store has jobs of its own';
    END IF;
    IF NOT meta @> weir_jobs.staged() THEN
        RAISE EXCEPTION 'the jobs have not arrived as they were sent';
    END IF;
    INSERT INTO weir_jobs.job OVERRIDING SYSTEM VALUE
        SELECT r.* FROM weir_jobs.incoming AS i,
            LATERAL jsonb_populate_record(NULL::weir_jobs.job, i.line::jsonb ||
                '{"lease_until": 0, "is_needed": false}') AS r;
    INSERT INTO weir_jobs.dependency (needs, job)
        SELECT n.id::bigint, i.id FROM weir_jobs.incoming AS i,
            LATERAL jsonb_array_elements_text(i.line::jsonb->'needs') AS n (id);
    SELECT count(*) INTO equal FROM weir_jobs.incoming AS i
        JOIN weir_jobs.job AS j ON j.id = i.id
        WHERE weir_jobs.line(j) = i.line::jsonb;
    IF equal <> (meta->>'count')::bigint THEN
        RAISE EXCEPTION '% of % jobs would have changed',
            (meta->>'count')::bigint - equal, meta->>'count';
    END IF;
    UPDATE weir_jobs.job AS j SET is_needed = true WHERE j.id IN (
        SELECT d.needs FROM weir_jobs.dependency AS d);
    DELETE FROM weir_jobs.queue AS q WHERE q.name IN (
        SELECT r.row->>'name' FROM jsonb_array_elements(meta->'queues')
            AS r (row));
    INSERT INTO weir_jobs.queue
        SELECT r.* FROM jsonb_array_elements(meta->'queues') AS q (row),
            LATERAL jsonb_populate_record(NULL::weir_jobs.queue,
                '{"rate_at_us": 0, "key_concurrency": 1, "key_rate": 0, '
                '"key_rate_period_ms": 1000}' || q.row) AS r;
    DELETE FROM weir_jobs.schedule AS o
        USING jsonb_array_elements(meta->'schedules') AS s (row)
        WHERE o.queue = s.row->>'queue' AND o.name = s.row->>'name';
    INSERT INTO weir_jobs.schedule
        SELECT r.* FROM jsonb_array_elements(meta->'schedules') AS s (row),
            LATERAL jsonb_populate_record(NULL::weir_jobs.schedule, s.row) AS r;
    PERFORM setval('weir_jobs.job_id_seq', greatest(
        nextval('weir_jobs.job_id_seq') - 1, (meta->>'lastId')::bigint, 1));
    PERFORM setval('weir_jobs.token', greatest(nextval('weir_jobs.token'),
                                               (meta->>'lastToken')::bigint));
    INSERT INTO weir_jobs.later (job)
        SELECT j.id FROM weir_jobs.job AS j WHERE j.state = 4;
    INSERT INTO weir_jobs.later (queue, key)
        SELECT DISTINCT j.queue, j.key FROM weir_jobs.job AS j
        WHERE j.state = 3;
    DELETE FROM weir_jobs.incoming;
    INSERT INTO weir_jobs.moved (checksum) VALUES (meta->>'identity');
    PERFORM weir_jobs.notify('');
END
$$;

-- The steps of weir_jobs_transfer, which read whole tables.
CREATE FUNCTION weir_jobs.transfer(step text, given text) RETURNS text
LANGUAGE plpgsql SET plan_cache_mode = auto SET enable_seqscan = on
SET enable_bitmapscan = on AS $$
DECLARE
    answer text := '';
BEGIN
    CASE step
    WHEN 'store' THEN
        answer := weir_jobs.describe();
    WHEN 'export' THEN
        SELECT coalesce(jsonb_agg(weir_jobs.line(j) ORDER BY j.id), '[]')
            INTO answer FROM weir_jobs.job AS j WHERE j.id IN (
                SELECT p.id FROM (
                    SELECT a.id, row_number() OVER w AS place,
                           sum(octet_length(a.payload) +
                               coalesce(octet_length(a.result), 0) +
                               coalesce(octet_length(a.reason), 0)) OVER w
                               AS bytes
                    FROM (SELECT * FROM weir_jobs.job AS f
                          WHERE f.id > given::bigint
                          ORDER BY f.id LIMIT 500) AS a
                    WINDOW w AS (ORDER BY a.id)) AS p
                WHERE p.place = 1 OR p.bytes <= 16 * 1024 * 1024);
    WHEN 'stage' THEN
        INSERT INTO weir_jobs.incoming AS i
            SELECT (e.line->>'id')::bigint, e.line::text
            FROM json_array_elements(given::json) AS e (line)
            ON CONFLICT (id) DO UPDATE SET line = excluded.line
            WHERE i.line <> excluded.line;
    WHEN 'staged' THEN
        answer := weir_jobs.staged() || jsonb_build_object('moved', EXISTS (
            SELECT FROM weir_jobs.moved AS m WHERE m.checksum = given),
            'last', (SELECT max(i.id) FROM weir_jobs.incoming AS i));
    WHEN 'import' THEN
        PERFORM weir_jobs.import(given::jsonb);
    WHEN 'clear' THEN
        DELETE FROM weir_jobs.incoming;
    END CASE;
    RETURN answer;
END
$$;
