export default async function* names(source) {
    yield 'names: ';
    for await (const { type, data } of source)
        if (type === 'test:start')
            yield `${data.name} `;
}
