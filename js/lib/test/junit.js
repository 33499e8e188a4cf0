// SPDX-License-Identifier: MIT
// junit -- the reporter of JUnit's XML.
'use strict';

function escapeAttribute(text) {
    return escapeContent(`${text}`.replaceAll('\n', '').replaceAll('"', '&quot;'));
}

function escapeContent(text) {
    return text.replace(/&(?!quot;)/g, '&amp;').replaceAll('<', '&lt;');
}

const escapeComment = (text) => text.replaceAll('--', '&#45;&#45;');

const isFailure = (node) => (node.children ?? []).some((one) => one.tag === 'failure') ||
    node.attrs?.failures > 0 ||
    node.attrs?.failure !== undefined;

const isSkipped = (node) => (node.children ?? []).some((one) => one.tag === 'skipped') ||
    node.attrs?.skipped === true;

function toXml(node, nesting = 1) {
    if (typeof node === 'string')
        return `${'\t'.repeat(nesting)}${node}\n`;
    const { tag, attrs, children, comment, text } = node;
    const indent = '\t'.repeat(nesting);
    if (comment !== undefined)
        return `${indent}<!-- ${escapeComment(comment)} -->\n`;
    if (text !== undefined)
        return `${escapeContent(text)}\n`;
    const head = Object.entries(attrs).map(([key, value]) =>
        ` ${key}="${escapeAttribute(value)}"`).join('');
    if (!children || children.length === 0)
        return `${indent}<${tag}${head}/>\n`;
    return `${indent}<${tag}${head}>\n` +
        `${children.map((child) => toXml(child, nesting + 1)).join('')}${indent}</${tag}>\n`;
}

class Builder {
    roots = [];
    #suites = []; // the innermost one last
    #hostname = require('system/os').hostname();

    start({ name, nesting }) {
        const parent = this.#suites[this.#suites.length - 1];
        const suite = { attrs: { __proto__: null, name }, nesting, parent, children: [] };
        if (parent !== undefined)
            parent.children.push(suite);
        else
            this.roots.push(suite);
        this.#suites.push(suite);
    }

    result(type, data) {
        let test = this.#suites[this.#suites.length - 1];
        if (test === undefined || test.attrs.name !== data.name || test.nesting !== data.nesting) {
            this.start(data);
            test = this.#suites[this.#suites.length - 1];
        }
        this.#suites.pop();
        test.attrs.time = (data.details.duration_ms / 1000).toFixed(6);
        const real = test.children.filter((one) => one.comment === undefined);
        if (real.length > 0)
            this.#suite(test, real);
        else
            this.#case(test, type, data);
    }

    #suite(test, children) {
        test.tag = 'testsuite';
        Object.assign(test.attrs, { disabled: 0, errors: 0, tests: children.length,
            failures: children.filter(isFailure).length,
            skipped: children.filter(isSkipped).length, hostname: this.#hostname });
    }

    #case(test, type, { skip, todo, details }) {
        test.tag = 'testcase';
        test.attrs.classname = details.classname ?? 'test';
        if (skip !== undefined)
            test.children.push({ tag: 'skipped',
                attrs: { __proto__: null, type: 'skipped', message: skip } });
        if (todo !== undefined)
            test.children.push({ tag: 'skipped',
                attrs: { __proto__: null, type: 'todo', message: todo } });
        if (type === 'test:fail')
            this.#failure(test, details.error);
    }

    #failure(test, error) {
        const text = require('util/inspect').inspect(error,
            { __proto__: null, colors: false, breakLength: Infinity });
        const message = error?.message ?? '';
        test.children.push({ tag: 'failure', attrs: { __proto__: null,
            type: error?.failureType || error?.code, message }, children: [{ text }] });
        test.failures = 1;
        test.attrs.failure = message;
    }

    diagnostic({ message }) {
        const parent = this.#suites[this.#suites.length - 1];
        (parent?.children ?? this.roots).push({ comment: message });
    }
}

module.exports = async function* junitReporter(source) {
    const builder = new Builder();
    yield '<?xml version="1.0" encoding="utf-8"?>\n<testsuites>\n';
    for await (const { type, data } of source) {
        if (type === 'test:start')
            builder.start(data);
        else if (type === 'test:pass' || type === 'test:fail')
            builder.result(type, data);
        else if (type === 'test:diagnostic')
            builder.diagnostic(data);
    }
    for (const root of builder.roots)
        yield toXml(root);
    yield '</testsuites>\n';
};
