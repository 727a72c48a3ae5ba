import { createInterface } from 'node:readline/promises'
import type { TemplateKind } from './template-kinds.ts'
import { nameProblem } from './name-problem.ts'

/** A terminal for questions. */
export interface QuestionTerminal {
  readonly input: NodeJS.ReadableStream
  readonly output: NodeJS.WritableStream
}

/** Kind and name of the package to create. */
export interface PackageChoice {
  readonly kind: string
  readonly name: string
}

/**
 * Asks for the kind and the name that the command line omits. Repeats a question after an answer that cannot be used.
 *
 * @throws Error AbortError when the terminal is closed before the last answer.
 */
export async function ask(
  { kind = '', name = '' }: Partial<PackageChoice>,
  kinds: readonly TemplateKind[],
  terminal: QuestionTerminal,
): Promise<PackageChoice> {
  const closed = new AbortController()
  const lines = createInterface(terminal)
  lines.once('close', () => closed.abort())
  const answers = async (question: string): Promise<string> =>
    (await lines.question(question, { signal: closed.signal })).trim()
  try {
    let chosenKind = kind
    while (chosenKind === '') {
      const list = kinds.map((one, index) => `  ${index + 1}  ${one.kind}: ${one.summary}\n`).join('')
      const answer = await answers(`What do you want to create?\n${list}Number or name: `)
      chosenKind = kinds.find((one, index) => answer === one.kind || answer === String(index + 1))?.kind ?? ''
    }
    let chosenName = name
    while (chosenName === '') {
      const answer = await answers('Name in kebab-case, for example quiet-hours: ')
      const problem = nameProblem(answer)
      if (problem === undefined) chosenName = answer
      else terminal.output.write(`${problem}\n`)
    }
    return { kind: chosenKind, name: chosenName }
  } finally {
    lines.close()
  }
}
