/** One token of a label selector. `end` marks the end of the text. */
export interface SelectorToken {
  readonly kind: 'word' | 'symbol' | 'end'
  readonly text: string
}

/** A reader of tokens. `take` moves on to the next one. */
export interface SelectorTokens {
  peek(): SelectorToken
  take(): SelectorToken
}

const END: SelectorToken = { kind: 'end', text: '' }
// Longer symbols come first. All characters that are neither symbols nor spaces belong to words.
const TOKEN_PATTERN = /(?<symbol>==|!=|[=!(),<>])|(?<word>[^\s=!(),<>]+)/g

/** Splits a selector into tokens as the lexer of k8s.io/apimachinery labels.Parse (v0.36) does. */
export function tokenizeSelector(text: string): SelectorTokens {
  const tokens = [...text.matchAll(TOKEN_PATTERN)].map(([piece, symbol]): SelectorToken => ({
    kind: symbol === undefined ? 'word' : 'symbol',
    text: piece,
  }))
  let position = 0
  return {
    peek: () => tokens[position] ?? END,
    take: () => tokens[position++] ?? END,
  }
}
