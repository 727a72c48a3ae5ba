/** A piece of a label selector's text. The empty symbol ends it. */
export interface SelectorToken {
  readonly kind: 'word' | 'symbol' | 'end'
  readonly text: string
}

/** Reads the tokens one after the other. */
export interface SelectorTokens {
  peek(): SelectorToken
  take(): SelectorToken
}

const END: SelectorToken = { kind: 'end', text: '' }
// The longest symbol first; whatever is neither symbol nor space belongs to a word.
const PIECE = /(?<symbol>==|!=|[=!(),<>])|(?<word>[^\s=!(),<>]+)/g

/** Takes a selector apart as the lexer of k8s.io/apimachinery labels.Parse (v0.36) does. */
export function selectorTokens(text: string): SelectorTokens {
  const tokens = [...text.matchAll(PIECE)].map(([piece, symbol]): SelectorToken => ({
    kind: symbol === undefined ? 'word' : 'symbol',
    text: piece,
  }))
  let position = 0
  return {
    peek: () => tokens[position] ?? END,
    take: () => tokens[position++] ?? END,
  }
}
