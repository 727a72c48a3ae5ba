import type { ArgumentDefinition } from './command-definition.ts'
import { suggestion } from './read-tokens.ts'

/** Returns a sentence without a full stop for each argument that is missing, wrong or too many. */
export function argumentProblems(
  definitions: readonly ArgumentDefinition[],
  words: readonly string[],
): readonly string[] {
  const limit = definitions.at(-1)?.isRepeatable === true ? Infinity : definitions.length
  const surplus = words.slice(limit).map((word) => `unexpected argument "${word}"`)
  const wrong = definitions.flatMap(({ name, isRequired = false, isRepeatable = false, choices }, index) => {
    const given = isRepeatable ? words.slice(index) : words.slice(index, index + 1)
    if (given.length === 0) return isRequired ? [`missing argument ${name}`] : []
    return given
      .filter((word) => choices?.includes(word) === false)
      .map((word) => `${name} "${word}": expected one of ${choices?.join(', ')}${suggestion(word, choices ?? [])}`)
  })
  return [...surplus, ...wrong]
}
