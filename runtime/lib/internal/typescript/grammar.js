'use strict';
// The parser of JavaScript (acorn) taught to read TypeScript: where a type stands, it notes the place and
// goes on behind it. The places are taken out afterwards, so that all else stays in its line and column.
//
// The engine finds what is wrong in the JavaScript that is left; here only the grammar counts.

const { arrayPush, arraySlice, over, regexpExec, regexpTest, stringCharAt, stringIndexOf, stringSlice } = intrinsics;
const { NotAType, Scanner } = require('internal/typescript/scan');

const MODIFIERS = { __proto__: null, public: true, private: true, protected: true, readonly: true, override: true, abstract: true, declare: true };
const BEGINS_NAME = /[\p{ID_Start}$_#["'\d*\\]/u;

// What may come behind the type arguments of an expression that isn't called.
const AFTER_ARGUMENTS = /^(?:[)\]},;:?.=!|&]|$|\bimplements\b)/;

function typed(Base, tt) {
  return class extends Base {
    constructor(...args) {
      super(...over(args));
      this.scanner = new Scanner(this.input);
      this.taken = []; // [start, end, replacement for its first character]
      this.skipped = new Map(); // start → end, of what lies ahead
      this.ternaries = 0;
      this.isHeritage = false;
      this.hasModuleSyntax = false;
    }

    // What is declared twice, and the like, is for the engine to find.
    raiseRecoverable() {}

    refuse(at, what) {
      const error = new SyntaxError(`${what} is not supported in strip-only mode`);
      Object.assign(error, { pos: at, raisedAt: at, loc: this.lineAt(at), isUnsupported: true });
      throw error;
    }

    lineAt(at) { return require('internal/syntax').acorn().getLineInfo(this.input, at); }

    // Takes out the text from `start` to `end`; the next token is read behind it, as if `before` came first.
    take(start, end, before = tt.name, sign = ' ') {
      arrayPush.call(this.taken, [start, end, sign]);
      this.lastTokEnd = end;
      this.pos = end;
      this.type = before;
      this.exprAllowed = before !== tt.name && before !== tt.parenR;
      this.nextToken();
    }

    scan(work) {
      try {
        return work();
      } catch (error) {
        if (error instanceof NotAType) this.unexpected(error.at);
        throw error;
      }
    }

    attempt(work) {
      try {
        return work();
      } catch (error) {
        if (error instanceof NotAType) return undefined;
        throw error;
      }
    }

    skipSpace() {
      super.skipSpace();
      for (let end = this.skipped.get(this.pos); end !== undefined; end = this.skipped.get(this.pos)) {
        this.pos = end;
        super.skipSpace();
      }
    }

    skip(start, end) {
      arrayPush.call(this.taken, [start, end, ' ']);
      this.skipped.set(start, end);
    }

    isSign(sign) { return this.type === tt.relational && this.value === sign; }
    isName(name) { return this.type === tt.name && this.value === name && !this.containsEsc; }
    hasLineBefore() { return this.scanner.hasNewline(this.lastTokEnd, this.start); }
    textAt(at) { return stringCharAt.call(this.input, at); }
    nextSign(at = this.end) { return this.textAt(this.scanner.space(at)); }

    takeAnnotation(isReturn = false) {
      const end = this.scan(() => isReturn ? this.scanner.returnType(this.end) : this.scanner.type(this.end));
      this.take(this.start, end, isReturn ? tt.parenR : tt.name);
    }

    takeParameters() { this.take(this.start, this.scan(() => this.scanner.typeParameters(this.start))); }

    snapshot() {
      return { ...this, context: arraySlice.call(this.context), labels: arraySlice.call(this.labels),
        scopeStack: arraySlice.call(this.scopeStack), privateNameStack: arraySlice.call(this.privateNameStack), taken: arraySlice.call(this.taken) };
    }

    apart(work) {
      const { ternaries } = this;
      this.ternaries = 0;
      const result = work();
      this.ternaries = ternaries;
      return result;
    }

    // --- bindings ---------------------------------------------------------------------------------------

    parseBindingAtom() {
      const atom = super.parseBindingAtom();
      if (this.type === tt.prefix && this.value === '!' && this.nextSign() === ':') this.take(this.start, this.end);
      if (this.type === tt.question) this.take(this.start, this.end);
      if (this.type === tt.colon) this.takeAnnotation();
      return atom;
    }

    parseBindingList(close, allowEmpty, allowTrailingComma) {
      if (close === tt.parenR) this.readThisParameter();
      return super.parseBindingList(close, allowEmpty, allowTrailingComma);
    }

    // function (this: T, a)
    readThisParameter() {
      if (this.type !== tt._this) return;
      const { start } = this;
      let end = this.scan(() => this.scanner.type(this.scanner.need(':', this.end)));
      if (this.nextSign(end) === ',') end = this.scanner.space(end) + 1;
      this.take(start, end, tt.parenL);
    }

    parseMaybeDefault(start, place, left) {
      if (left === undefined || left === null) this.refuseProperty();
      return super.parseMaybeDefault(start, place, left);
    }

    // constructor(private x)
    refuseProperty() {
      if (this.type !== tt.name || !regexpTest(/^(?:public|private|protected|readonly|override)$/, this.value)) return;
      if (regexpTest(/[\p{ID_Start}$_[{]/u, this.nextSign())) this.refuse(this.start, 'TypeScript parameter property');
    }

    // --- functions ------------------------------------------------------------------------------------------

    parseFunctionParams(node) {
      if (this.isSign('<')) this.takeParameters();
      super.parseFunctionParams(node);
    }

    parseMethod(isGenerator, isAsync, allowDirectSuper) {
      if (this.isSign('<')) this.takeParameters();
      return super.parseMethod(isGenerator, isAsync, allowDirectSuper);
    }

    parseFunctionBody(node, isArrow, isMethod, forInit) {
      if (!isArrow && this.type === tt.colon) this.takeAnnotation(true);
      if (isArrow || this.type === tt.braceL) {
        this.apart(() => super.parseFunctionBody(node, isArrow, isMethod, forInit));
        return;
      }
      // One of several heads of a function, without a body.
      if (!this.eat(tt.semi) && !this.canInsertSemicolon()) this.unexpected();
      node.isHead = true;
      node.body = this.finishNode(Object.assign(this.startNode(), { body: [] }), 'BlockStatement');
      this.exitScope();
    }

    parseFunction(node, statement, allowExpressionBody, isAsync, forInit) {
      const result = super.parseFunction(node, statement, allowExpressionBody, isAsync, forInit);
      if (result.isHead) arrayPush.call(this.taken, [result.start, this.lastTokEnd, ';']);
      return result;
    }

    // Whether an arrow function begins at a "(" or a "<": { end of its parameters }.
    isArrowAt(at) {
      const { scanner } = this;
      return this.attempt(() => {
        let open = at;
        if (this.textAt(at) === '<') open = scanner.space(scanner.typeParameters(at));
        if (this.textAt(open) !== '(') return undefined;
        const close = scanner.balanced(open);
        const next = scanner.space(close);
        if (scanner.is('=>', next)) return { isSure: true };
        if (this.textAt(next) !== ':') return undefined;
        const end = this.attempt(() => scanner.space(scanner.returnType(next + 1)));
        return end !== undefined && scanner.is('=>', end) ? { isSure: this.ternaries === 0 } : undefined;
      });
    }

    parseTypedArrow(start, isAsync, forInit) {
      const node = this.startNodeAt(start, this.startLoc);
      if (this.isSign('<')) this.takeParameters();
      this.expect(tt.parenL);
      const params = this.apart(() => this.parseBindingList(tt.parenR, false, true));
      if (this.type === tt.colon) this.takeAnnotation(true);
      this.expect(tt.arrow);
      return this.parseArrowExpression(node, params, isAsync, forInit);
    }

    // In a ? (b) : c => d the arrow may belong to the last part.
    parseArrowOr(at, start, isAsync, forInit, otherwise) {
      const found = this.isArrowAt(at);
      if (found === undefined) return otherwise();
      if (found.isSure) {
        if (isAsync) this.next();
        return this.parseTypedArrow(start, isAsync, forInit);
      }
      const before = this.snapshot();
      try {
        if (isAsync) this.next();
        const arrow = this.parseTypedArrow(start, isAsync, forInit);
        if (this.type === tt.colon) return arrow;
      } catch (error) {
        if (!(error instanceof SyntaxError)) throw error;
      }
      Object.assign(this, before);
      return otherwise();
    }

    // --- expressions -----------------------------------------------------------------------------------------

    eat(type) {
      const has = super.eat(type);
      if (has && type === tt.question) this.ternaries++;
      return has;
    }

    expect(type) {
      super.expect(type);
      if (type === tt.colon && this.ternaries > 0) this.ternaries--;
    }

    parseExprAtom(errors, forInit, forNew) {
      const { start } = this;
      if (this.isSign('<')) return this.parseArrowOr(start, start, false, forInit, () => {
        this.take(start, this.scan(() => this.scanner.typeArguments(start)), tt.parenL); // <T>value
        return this.parseMaybeUnary(errors, false, false, forInit);
      });
      if (this.isName('async') && regexpTest(/[(<]/, this.nextSign()) && !this.scanner.hasNewline(this.end, this.scanner.space(this.end)))
        return this.parseArrowOr(this.scanner.space(this.end), start, true, forInit, () => super.parseExprAtom(errors, forInit, forNew));
      return super.parseExprAtom(errors, forInit, forNew);
    }

    parseParenAndDistinguishExpression(canBeArrow, forInit) {
      const plain = () => this.apart(() => super.parseParenAndDistinguishExpression(canBeArrow, forInit));
      return canBeArrow ? this.parseArrowOr(this.start, this.start, false, forInit, plain) : plain();
    }

    parseExprList(...args) { return this.apart(() => super.parseExprList(...over(args))); }
    parseObj(...args) { return this.apart(() => super.parseObj(...over(args))); }
    parseTemplate(...args) { return this.apart(() => super.parseTemplate(...over(args))); }

    parseExprOp(left, start, place, least, forInit) {
      if (this.type === tt.name && (this.value === 'as' || this.value === 'satisfies') && !this.containsEsc && !this.hasLineBefore() &&
          least < tt._in.binop) {
        const next = this.scanner.space(this.end);
        const end = this.scanner.isWord('const', next) ? next + 5 : this.scan(() => this.scanner.type(this.end));
        this.take(this.start, end);
        return this.parseExprOp(left, start, place, least, forInit);
      }
      return super.parseExprOp(left, start, place, least, forInit);
    }

    parseSubscript(base, start, place, noCalls, maybeAsyncArrow, optionalChained, forInit) {
      const again = () => this.parseSubscript(base, start, place, noCalls, maybeAsyncArrow, optionalChained, forInit);
      if (this.type === tt.prefix && this.value === '!' && !this.hasLineBefore()) { // value!
        this.take(this.start, this.end);
        return again();
      }
      if (this.isSign('<') || (this.type === tt.bitShift && this.value === '<<')) {
        const end = this.attempt(() => this.scanner.typeArguments(this.start));
        if (end !== undefined && this.mayFollowArguments(end)) {
          this.take(this.start, end);
          return again();
        }
      }
      return super.parseSubscript(base, start, place, noCalls, maybeAsyncArrow, optionalChained, forInit);
    }

    mayFollowArguments(end) {
      const next = this.scanner.space(end);
      const sign = this.textAt(next);
      if (sign === '(' || sign === '`') return true;
      if (this.isHeritage && sign === '{') return true;
      return this.scanner.hasNewline(end, next) || regexpTest(AFTER_ARGUMENTS, stringSlice.call(this.input, next, next + 12));
    }

    parsePropertyName(prop) {
      const key = super.parsePropertyName(prop);
      if (this.isSign('<')) this.takeParameters();
      return key;
    }

    // --- classes ------------------------------------------------------------------------------------------------

    parseClassId(node, isStatement) {
      if (this.isName('implements') && this.nextSign() !== '{') node.id = null;
      else super.parseClassId(node, isStatement);
      if (this.isSign('<')) this.takeParameters();
    }

    parseClassSuper(node) {
      const { isHeritage } = this;
      this.isHeritage = true;
      super.parseClassSuper(node);
      this.isHeritage = isHeritage;
      if (this.isSign('<')) this.take(this.start, this.scan(() => this.scanner.typeArguments(this.start)));
      if (!this.isName('implements')) return;
      let end = this.end;
      this.scan(() => {
        do end = this.scanner.type(end); while (this.nextSign(end) === ',' && (end = this.scanner.space(end) + 1) > 0);
      });
      this.take(this.start, end, tt.parenR);
    }

    // Takes the modifiers before a member's name out; says which there were.
    readModifiers() {
      const found = { __proto__: null };
      const { scanner } = this;
      for (let at = this.start; ;) {
        const word = scanner.word(at);
        const end = at + word.length;
        const next = scanner.space(end);
        if (!(MODIFIERS[word] || word === 'static' || word === 'accessor') || !regexpTest(BEGINS_NAME, this.textAt(next))) return found;
        if ((word === 'declare' || word === 'abstract') && scanner.hasNewline(end, next)) return found;
        if (word !== 'static' && word !== 'accessor') {
          found[word] = true;
          if (at === this.start) {
            this.take(at, end, tt.semi);
            at = this.start;
            continue;
          }
          this.skip(at, end);
        }
        at = next;
      }
    }

    parseClassElement(allowsSuper) {
      const { start } = this;
      if (this.type !== tt.name && this.type !== tt.bracketL) return this.finished(start, super.parseClassElement(allowsSuper));
      const found = this.readModifiers();
      const isIndex = this.isIndexSignature();
      if (found.abstract || found.declare || isIndex) {
        this.take(start, this.scan(() => this.scanner.member(this.memberStart())), tt.semi, ';');
        return null;
      }
      return this.finished(start, super.parseClassElement(allowsSuper));
    }

    // Behind `static`, `get` and the like.
    memberStart() {
      const { scanner } = this;
      let at = this.start;
      for (;;) {
        const word = scanner.word(at);
        const next = scanner.space(this.skipped.get(scanner.space(at + word.length)) ?? at + word.length);
        if (!regexpTest(/^(?:static|get|set|async|accessor)$/, word) || !regexpTest(BEGINS_NAME, this.textAt(next))) return at;
        at = next;
      }
    }

    isIndexSignature() {
      const at = this.memberStart();
      return this.textAt(at) === '[' && regexpTest(/^\[\s*[$_\p{ID_Start}][$\p{ID_Continue}]*\s*:/u, stringSlice.call(this.input, at, at + 200));
    }

    finished(start, element) {
      if (element?.value?.isHead) arrayPush.call(this.taken, [start, this.lastTokEnd, ';']);
      return element;
    }

    parseClassElementName(element) {
      super.parseClassElementName(element);
      if (this.type === tt.question) this.take(this.start, this.end);
      else if (this.type === tt.prefix && this.value === '!') this.take(this.start, this.end);
      if (this.isSign('<')) this.takeParameters();
    }

    parseClassField(field) {
      if (this.type === tt.question) this.take(this.start, this.end); // get?: T
    if (this.isSign('<')) this.takeParameters();
    if (this.type === tt.parenL) { // a method of the name get, set, static or async
      field.kind = 'method';
      return this.parseClassMethod(field, false, false, false);
    }
      if (this.type === tt.colon) this.takeAnnotation();
      return super.parseClassField(field);
    }

    // --- statements -----------------------------------------------------------------------------------------------

    parseStatement(context, topLevel, exports) {
      if (this.type === tt.name && !this.containsEsc && this.readDeclaration(this.start, this.start)) return this.emptyStatement();
      if (this.type === tt._const && this.scanner.isWord('enum', this.scanner.space(this.end))) this.refuse(this.start, 'TypeScript enum');
      if (this.type === tt._import && this.readImport()) return this.emptyStatement();
      if (this.type === tt._export && this.readExport()) return this.emptyStatement();
      const statement = super.parseStatement(context, topLevel, exports);
      const { declaration } = statement;
      if (declaration?.isHead) arrayPush.call(this.taken, [statement.start, this.lastTokEnd, ';']);
      return statement;
    }

    emptyStatement() {
      const node = this.startNode();
      return this.finishNode(node, 'EmptyStatement');
    }

    // A declaration whose first word is at `at`; it is taken out from `start` on. Returns whether it was one.
    readDeclaration(at, start) {
      const { scanner } = this;
      const word = scanner.word(at);
      const rest = at + word.length;
      const next = scanner.space(rest);
      if (!regexpTest(/^(?:type|interface|declare|abstract|enum|namespace|module|global)$/, word) || scanner.hasNewline(rest, next)) return false;
      const name = scanner.word(next);
      const isNamed = name !== '' && name !== 'in' && name !== 'instanceof' && name !== 'as' && name !== 'satisfies' && name !== 'of';
      let end;
      if (word === 'type' && isNamed && regexpTest(/[=<]/, this.nextSign(next + name.length))) end = this.scan(() => scanner.alias(rest));
      else if (word === 'interface' && isNamed) end = this.scan(() => scanner.braced(rest));
      else if (word === 'declare' && isNamed) end = this.scan(() => scanner.declared(rest));
      else if (word === 'enum' && isNamed) this.refuse(at, 'TypeScript enum');
      else if ((word === 'namespace' || word === 'module') && isNamed && regexpTest(/[.{]/, this.nextSign(next + name.length))) {
        end = this.attempt(() => scanner.namespace(rest));
        if (end === undefined) this.refuse(at, 'TypeScript namespace declaration');
      } else if (word === 'abstract' && name === 'class') {
        this.take(at, rest, tt.semi);
        return false;
      }
      if (end === undefined) return false;
      this.take(start, end, tt.semi, ';');
      return true;
    }

    // Names after `type` in a list of names.
    readNames(open) {
      const close = this.scan(() => this.scanner.balanced(open));
      const inside = stringSlice.call(this.input, open + 1, close - 1);
      const pattern = /(^|,)(\s*)(type\s+(?!as\s+[\w$]+\s*(?:,|$)|,|$)[^,]+(?:,|$))/y;
      let at = 0;
      while (at < inside.length) {
        pattern.lastIndex = at;
        const match = regexpExec.call(pattern, inside);
        if (match !== null) {
          const start = open + 1 + at + match[1].length + match[2].length;
          this.skip(start, start + match[3].length);
          at += match[0].length - 1;
          if (match[0].length <= 1) at++;
        } else {
          const comma = stringIndexOf.call(inside, ',', at + 1);
          if (comma === -1) return;
          at = comma;
        }
      }
    }

    readImport() {
      this.hasModuleSyntax ||= !regexpTest(/[(.]/, this.nextSign());
      const text = stringSlice.call(this.input, this.end, this.end + 400);
      if (regexpTest(/^\s*(?:type\s+)?[\w$]+\s*=\s*/, text)) this.refuse(this.start, 'TypeScript import equals declaration');
      if (regexpTest(/^\s*type\s+(?:[*{]|(?!from\s*["'])[\w$]+\s+from\b|from\s+from\b)/, text)) {
        this.take(this.start, this.statementEnd(), tt.semi, ';');
        return true;
      }
      const open = regexpExec.call(/^\s*(?:[\w$]+\s*,\s*)?\{/, text);
      if (open !== null) this.readNames(this.end + open[0].length - 1);
      return false;
    }

    // Behind the specifier of an import or export, its attributes and the semicolon.
    statementEnd() {
      const { scanner } = this;
      return this.scan(() => {
        let at = this.end;
        for (;;) {
          at = scanner.space(at);
          const sign = this.textAt(at);
          if (sign === '"' || sign === "'") break;
          if (sign === '{') at = scanner.balanced(at);
          else if (sign === '*' || sign === ',') at++;
          else if (scanner.word(at) !== '') at += scanner.word(at).length;
          else scanner.fail(at);
        }
        at = scanner.string(at);
        const next = scanner.space(at);
        if (scanner.isWord('with', next)) at = scanner.balanced(scanner.space(next + 4));
        return scanner.ended(at);
      });
    }

    readExport() {
      this.hasModuleSyntax = true;
      const { scanner, start } = this;
      let at = scanner.space(this.end);
      const text = stringSlice.call(this.input, at, at + 400);
      if (regexpTest(/^=(?!=|>)/, text)) this.refuse(start, 'TypeScript export assignment');
      if (regexpTest(/^import\b/, text)) this.refuse(start, 'TypeScript import equals declaration');
      if (regexpTest(/^as\s+namespace\b/, text)) {
        const end = regexpExec.call(/^as\s+namespace\s+[\w$]+\s*;?/, text)[0].length;
        this.take(start, at + end, tt.semi, ';');
        return true;
      }
      if (regexpTest(/^type\s*[{*]/, text)) {
        const close = regexpTest(/^type\s*\{/, text) ? this.scan(() => scanner.balanced(scanner.space(at + 4))) : undefined;
        const isLocal = close !== undefined && !scanner.isWord('from', scanner.space(close));
        this.take(start, isLocal ? scanner.ended(close) : this.statementEnd(), tt.semi, ';');
        return true;
      }
      if (regexpTest(/^default\s+(?:interface|abstract\s+class)\b/, text)) at = scanner.space(at + 7);
      if (regexpTest(/^(?:const\s+)?enum\b/, text)) this.refuse(at, 'TypeScript enum');
      if (scanner.isWord('abstract', at) && scanner.isWord('class', scanner.space(at + 8))) {
        this.skip(at, at + 8);
        return false;
      }
      if (regexpTest(/^\{/, text)) this.readNames(at);
      return scanner.word(at) !== 'abstract' && this.readDeclaration(at, start);
    }
  };
}

module.exports = { typed };
