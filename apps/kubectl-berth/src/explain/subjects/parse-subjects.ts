import type { CommandLine } from '@berth/process/command'
import { UsageError } from '../../errors.ts'
import { type NamedSubject, namedSubjects } from './named-subjects.ts'

const HELP = 'Run: kubectl berth explain --help'

/** The pods that `explain` is asked about. */
export type Subjects =
  | { readonly kind: 'named'; readonly subjects: readonly NamedSubject[] }
  | { readonly kind: 'file'; readonly file: string }
  /** Every pending pod of the namespace, or of all namespaces. */
  | { readonly kind: 'all-pending'; readonly isEveryNamespace: boolean }

/**
 * Reads what the command line asks about: `pod a b`, `pod/a deploy/b`, `-f FILE` or `--all-pending`.
 *
 * @throws UsageError BERTH_KUBECTL_USAGE
 */
export function parseSubjects(line: CommandLine): Subjects {
  const file = line.text('filename')
  const isAllPending = line.has('all-pending')
  const ways = [line.words.length > 0, file !== undefined, isAllPending].filter(Boolean).length
  if (ways > 1) throw new UsageError('explain: give only one of pods, --filename and --all-pending', HELP)
  if (line.has('all-namespaces') && !isAllPending)
    throw new UsageError('explain: --all-namespaces needs --all-pending', HELP)
  if (file !== undefined) return { kind: 'file', file }
  if (isAllPending) return { kind: 'all-pending', isEveryNamespace: line.has('all-namespaces') }
  if (line.words.length === 0) throw new UsageError('explain: which pod?', HELP)
  return { kind: 'named', subjects: namedSubjects(line.words, { command: 'explain', verb: 'explain' }) }
}
