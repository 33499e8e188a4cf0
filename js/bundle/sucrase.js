// Types out of TypeScript; js/lib/program/typescript.js asks for it.
//
// Of sucrase this takes the parser and the transformer for types.  Its output has
// the lines of the source; here each token also gets its column back, so that
// stacks show positions in the source.
import NameManager from './node_modules/sucrase/dist/esm/NameManager.js';
import { HelperManager } from './node_modules/sucrase/dist/esm/HelperManager.js';
import TokenProcessor from './node_modules/sucrase/dist/esm/TokenProcessor.js';
import identifyShadowedGlobals from './node_modules/sucrase/dist/esm/identifyShadowedGlobals.js';
import { parse } from './node_modules/sucrase/dist/esm/parser/index.js';
import { ContextualKeyword } from './node_modules/sucrase/dist/esm/parser/tokenizer/keywords.js';
import { TokenType as tt } from './node_modules/sucrase/dist/esm/parser/tokenizer/types.js';
import RootTransformer from './node_modules/sucrase/dist/esm/transformers/RootTransformer.js';
import getTSImportedNames from './node_modules/sucrase/dist/esm/util/getTSImportedNames.js';

const options = { transforms: ['typescript'], disableESTransforms: true };

// ---- what cannot be erased ----

function unsupported(message, at) {
    return Object.assign(new SyntaxError(message), { pos: at, isUnsupported: true });
}

const declarations = new Set([ContextualKeyword._interface, ContextualKeyword._type,
    ContextualKeyword._declare, ContextualKeyword._namespace, ContextualKeyword._module]);

// Whether the statement that begins with this token declares types only.
function isOnlyTypes(tokens, at) {
    let index = at;
    if (tokens[index].type === tt._export)
        index++;
    const { type, contextualKeyword } = tokens[index];
    if (type === tt._import)
        return tokens[index + 1].contextualKeyword === ContextualKeyword._type;
    return type === tt.braceR || type === tt.semi || declarations.has(contextualKeyword);
}

// Whether a statement may begin with the token, in a block of declarations.
function beginsStatement(source, tokens, at) {
    const before = tokens[at - 1];
    if ([tt.braceL, tt.braceR, tt.semi].includes(before.type))
        return true;
    return [tt.name, tt.parenR, tt.bracketR, tt.string, tt.num, tt.greaterThan]
        .includes(before.type) && source.slice(before.end, tokens[at].start).includes('\n') &&
        [tt.name, tt._const, tt._let, tt._var, tt._function, tt._class, tt._enum, tt._export,
            tt._import, tt._if, tt._for, tt._throw].includes(tokens[at].type);
}

// The parser takes a namespace for a type.  One that has values is not: refuse it
// rather than leave them out.
function checkNamespace(source, tokens, at) {
    let index = at, depth = 0;
    while (tokens[index].type !== tt.braceL)
        index++;
    for (; index < tokens.length; index++) {
        const { type } = tokens[index];
        if (depth === 1 && beginsStatement(source, tokens, index) &&
            !isOnlyTypes(tokens, index))
            throw unsupported('A namespace with values is not supported', tokens[at].start);
        if (type === tt.braceL || type === tt.parenL || type === tt.bracketL)
            depth++;
        else if ((type === tt.braceR || type === tt.parenR || type === tt.bracketR) &&
            --depth === 0)
            return;
    }
}

function isNamespace(tokens, at) {
    const { isType, contextualKeyword } = tokens[at], before = tokens[at - 1];
    return isType && (contextualKeyword === ContextualKeyword._namespace ||
        contextualKeyword === ContextualKeyword._module) &&
        tokens[at + 1].type === tt.name &&
        (tokens[at + 2].type === tt.braceL || tokens[at + 2].type === tt.dot) &&
        before?.contextualKeyword !== ContextualKeyword._declare && before?.type !== tt.dot;
}

// What the parser accepts, but neither it nor the engine can turn into code.
function checkTokens(source, tokens) {
    let isAmbient = 0; // how deep in braces, inside `declare`
    for (let at = 0; at < tokens.length; at++) {
        const { type, start, isType, contextualKeyword } = tokens[at];
        if (type === tt.at)
            throw unsupported('Decorators are not supported', start);
        if (isAmbient > 0)
            isAmbient += type === tt.braceL ? 1 : type === tt.braceR ? -1 : 0;
        else if (isType && contextualKeyword === ContextualKeyword._declare &&
            [ContextualKeyword._namespace, ContextualKeyword._module, ContextualKeyword._global]
                .includes(tokens[at + 1].contextualKeyword)) {
            while (tokens[at].type !== tt.braceL && tokens[at].type !== tt.semi &&
                tokens[at].type !== tt.eof)
                at++;
            isAmbient = tokens[at].type === tt.braceL ? 1 : 0;
        } else if (isNamespace(tokens, at)) {
            checkNamespace(source, tokens, at);
        }
    }
}

// ---- positions ----

// Whether space before the token is no part of a text, nor of a #name.
function isMovable(tokens, at) {
    const before = tokens[at - 1]?.type;
    return tokens[at].type !== tt.template && tokens[at].type !== tt.dollarBraceL &&
        before !== tt.template && before !== tt.hash;
}

// Whether a line that begins with the token would continue an expression whose end
// was a type.
function needsSemicolon(source, tokens, at) {
    const { type, start } = tokens[at], before = tokens[at - 1];
    if (![tt.parenL, tt.bracketL, tt.backQuote].includes(type) || !before?.isType ||
        tokens[at].isType || !source.slice(before.end, start).includes('\n'))
        return false;
    let first = at - 1;
    while (first > 0 && tokens[first - 1].isType)
        first--;
    return tokens[first].type !== tt.lessThan; // arguments of a call that follows
}

class Writer {
    code = '';
    line = 0;
    lineStart = 0; // in the code

    write(text) {
        for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) {
            this.line++;
            this.lineStart = this.code.length + at + 1;
        }
        this.code += text;
    }

    moveTo(line, column) {
        if (line > this.line)
            this.write('\n'.repeat(line - this.line));
        if (line === this.line && column > this.code.length - this.lineStart)
            this.write(' '.repeat(column - (this.code.length - this.lineStart)));
    }
}

// Where each token of the source has its own place, or is late.
function align(source, tokens, { code, mappings }) {
    const writer = new Writer();
    let done = 0, line = 0, lineStart = 0;
    for (let at = 0; at < tokens.length; at++) {
        const { start } = tokens[at];
        for (let next = source.indexOf('\n', lineStart); next >= 0 && next < start;
            next = source.indexOf('\n', lineStart)) {
            line++;
            lineStart = next + 1;
        }
        if (mappings[at] === undefined || mappings[at] < done)
            continue;
        writer.write(code.slice(done, mappings[at]));
        done = mappings[at];
        if (needsSemicolon(source, tokens, at))
            writer.write(';');
        if (isMovable(tokens, at))
            writer.moveTo(line, start - lineStart);
    }
    writer.write(code.slice(done));
    return writer.code;
}

// ---- all of it ----

// Throws a SyntaxError with `pos`; isUnsupported says that it is TypeScript.
export function erase(source) {
    const { tokens, scopes } = parse(source, false, true, false);
    checkTokens(source, tokens);
    const nameManager = new NameManager(source, tokens);
    const helperManager = new HelperManager(nameManager);
    const tokenProcessor = new TokenProcessor(source, tokens, false, true, helperManager);
    identifyShadowedGlobals(tokenProcessor, scopes, getTSImportedNames(tokenProcessor));
    const root = new RootTransformer({ tokenProcessor, scopes, nameManager, helperManager,
        importProcessor: null }, options.transforms, false, options);
    return align(source, tokens, root.transform());
}
