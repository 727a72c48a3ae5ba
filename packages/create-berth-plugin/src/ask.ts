import { createInterface } from 'node:readline/promises'
import type { TemplateKind } from './template-kinds.ts'
import { nameProblem } from './name-problem.ts'

/** A terminal for questions. */
export interface QuestionTerminal {
  readonly input: NodeJS.ReadableStream
  readonly output: NodeJS.WritableStream
}

/** What to create. */
export interface Wanted {
  readonly kind: string
  readonly name: string
}

/**
 * Asks for what the command line lacks, and asks again after an answer that cannot be used.
 *
 * @throws Error AbortError when the terminal is closed before the last answer.
 */
export async function ask(
  { kind = '', name = '' }: Partial<Wanted>,
  kinds: readonly TemplateKind[],
  terminal: QuestionTerminal,
): Promise<Wanted> {
  const closed = new AbortController()
  const lines = createInterface(terminal)
  lines.once('close', () => closed.abort())
  const answers = async (question: string): Promise<string> =>
    (await lines.question(question, { signal: closed.signal })).trim()
  try {
    let wantedKind = kind
    while (wantedKind === '') {
      const list = kinds.map((one, index) => `  ${index + 1}  ${one.kind}: ${one.summary}\n`).join('')
      const answer = await answers(`What do you want to create?\n${list}Number or name: `)
      wantedKind = kinds.find((one, index) => answer === one.kind || answer === String(index + 1))?.kind ?? ''
    }
    let wantedName = name
    while (wantedName === '') {
      const answer = await answers('Name in kebab-case, for example quiet-hours: ')
      const problem = nameProblem(answer)
      if (problem === undefined) wantedName = answer
      else terminal.output.write(`${problem}\n`)
    }
    return { kind: wantedKind, name: wantedName }
  } finally {
    lines.close()
  }
}
