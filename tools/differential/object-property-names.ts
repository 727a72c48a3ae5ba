import type { Choices } from './random.ts'

/** Names in questions, and the names of JavaScript object properties that replace them. */
const replacements: readonly (readonly [RegExp, string])[] = [
  [/"rack"/g, '"__proto__"'],
  [/"app"/g, '"constructor"'],
  [/"tier"/g, '"__proto__"'],
  [/"team"/g, '"toString"'],
  [/"disk"/g, '"__proto__"'],
  [/"size"/g, '"hasOwnProperty"'],
  [/"other"/g, '"constructor"'],
  [/"web"/g, '"__proto__"'],
  [/"z1"/g, '"__proto__"'],
  [/"n0"/g, '"constructor"'],
  [/"n1"/g, '"__proto__"'],
  [/"fast"/g, '"__proto__"'],
  [/"b0"/g, '"__proto__"'],
  [/"c0"/g, '"constructor"'],
  [/"dedicated"/g, '"__proto__"'],
  [/example\.com\/dongle/g, 'example.com/constructor'],
]

/** Replaces names in a few questions by names such as `__proto__`, which are ordinary names in Go. */
export function withObjectPropertyNames(choices: Choices, question: unknown): unknown {
  if (!choices.chance(0.04)) return question
  const chosen = replacements.filter(() => choices.chance(0.5))
  return JSON.parse(chosen.reduce((text, [name, odd]) => text.replaceAll(name, odd), JSON.stringify(question)))
}
