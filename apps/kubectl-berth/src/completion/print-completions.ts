import type { CommandLine } from '@berth/process/command'
import type { CompletionContext } from '../cli/completion-context.ts'
import type { Candidates } from '../cli/candidates.ts'
import { completeWords, type Offer } from './complete-words.ts'

/** Tells the shell how to treat the offers (`ShellCompDirective` of cobra v1.10). */
const directives = { files: 0, error: 1, noFiles: 4, directories: 16 } as const

/** A name with other characters comes from a server or a file that does not follow the rules for names. */
const WORD = /^[\w./@%+=:,-]+$/

/** Timeout for the cluster, because the shell waits. A cluster that does not answer in time offers nothing. */
const DEADLINE_MS = 2_000

/**
 * Prints the offers for the last word: one line each, with a description after a tab, and a last line with the directive.
 * kubectl runs it through `kubectl_complete-berth` (kubectl 1.26 or newer). A failed look-up offers nothing.
 */
export async function printCompletions(words: readonly string[], context: CompletionContext): Promise<void> {
  const completion = completeWords(context.commands, words)
  const word = completion.kind === 'lookup' ? completion.word : (words.at(-1) ?? '')
  const prefix = completion.kind === 'lookup' ? word : word.replace(/^--[\w-]+=/, '')
  let directive: number = directives.noFiles
  let offers: readonly Offer[] = []
  if (completion.kind === 'offers') offers = completion.offers
  else if (completion.candidates === 'files') directive = directives.files
  else if (completion.candidates === 'directories') directive = directives.directories
  else {
    try {
      offers = await lookedUp(completion.candidates, completion, context)
    } catch {
      directive = directives.error | directives.noFiles
    }
  }
  const lines = offers
    .filter(({ value }) => value.startsWith(prefix) && WORD.test(value))
    .map(({ value, description }) => (description === undefined ? value : `${value}\t${description}`))
  context.terminal.out(`${[...lines, `:${directive}`].join('\n')}\n`)
}

async function lookedUp(
  candidates: Candidates,
  { word, line }: { readonly word: string; readonly line: CommandLine },
  { terminal, stop, connect, contexts }: CompletionContext,
): Promise<readonly Offer[]> {
  if (candidates === 'nothing') return []
  if (candidates === 'contexts') return (await contexts(line)).map((value) => ({ value }))
  await using session = await connect(line, DEADLINE_MS)
  const { lookUp } = await import('./look-up.ts')
  const deadline = { clock: terminal.clock, ms: DEADLINE_MS }
  return await lookUp(candidates, word, {
    client: session.cluster.client,
    line,
    namespace: session.namespace,
    signal: stop,
    deadline,
  })
}
