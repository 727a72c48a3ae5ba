import type { Taint, Toleration } from '@berth/types'

/**
 * Whether the toleration bears the taint. The comparing operators Lt and Gt never do: their feature gate is off.
 *
 * @see k8s.io/api core/v1/toleration.go ToleratesTaint (v1.36)
 */
export function toleratesTaint(toleration: Toleration, taint: Taint): boolean {
  const { key = '', operator = '', value = '', effect = '' } = toleration
  if (effect !== '' && effect !== taint.effect) return false
  if (key !== '' && key !== taint.key) return false
  if (operator === '' || operator === 'Equal') return value === (taint.value ?? '')
  return operator === 'Exists'
}

/** From here on looking a taint up is quicker than asking every toleration. */
const MANY = 16

/**
 * Makes a list of tolerations ready to be asked about taints: whether at least one bears it. With many of them an
 * answer takes as long as with few.
 */
export function tolerationTest(tolerations: readonly Toleration[] = []): (taint: Taint) => boolean {
  if (tolerations.length < MANY) {
    return (taint) => tolerations.some((toleration) => toleratesTaint(toleration, taint))
  }
  const borne = new Set<string>()
  for (const { key = '', operator = '', value = '', effect = '' } of tolerations) {
    if (operator === 'Exists') borne.add(wordsOf(effect, key))
    else if (operator === '' || operator === 'Equal') borne.add(wordsOf(effect, key, value))
  }
  return ({ effect, key, value = '' }) =>
    ['', effect].some((e) => ['', key].some((k) => borne.has(wordsOf(e, k)) || borne.has(wordsOf(e, k, value))))
}

/** The words as one; their lengths keep what is in one apart from what is in the next. */
function wordsOf(...words: readonly string[]): string {
  return words.reduce((text, word) => `${text}${word.length}:${word}`, '')
}
