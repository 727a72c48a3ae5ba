import type { CommandLine } from '@berth/process/command'
import { resourceRefs, type ResourceRef } from '@berth/k8s-client'
import { shellCommand } from '@berth/text/shell-command'
import { kindByWord } from '../../cli/kind-by-word.ts'
import { UsageError } from '../../errors.ts'

const HELP = 'Run: kubectl berth explain --help'

/** A pod or a workload that the command line names. */
export interface NamedSubject {
  readonly resource: ResourceRef
  readonly name: string
}

/** The pods that `explain` is asked about. */
export type Subjects =
  | { readonly kind: 'named'; readonly subjects: readonly NamedSubject[] }
  | { readonly kind: 'file'; readonly file: string }
  /** Every pending pod of the namespace, or of all namespaces. */
  | { readonly kind: 'all-pending'; readonly isEveryNamespace: boolean }

const kinds: readonly ResourceRef[] = [
  resourceRefs.pods,
  resourceRefs.deployments,
  resourceRefs.replicaSets,
  resourceRefs.statefulSets,
  resourceRefs.daemonSets,
  resourceRefs.jobs,
]

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
  return { kind: 'named', subjects: namedSubjects(line.words) }
}

function namedSubjects(words: readonly string[]): readonly NamedSubject[] {
  const [first = '', ...names] = words
  if (!first.includes('/')) {
    const resource = resourceOf(first, words)
    if (names.length === 0 || names.some((name) => name === '' || name.includes('/')))
      throw new UsageError(`explain: expected names after "${first}"`, HELP)
    return names.map((name) => ({ resource, name }))
  }
  return words.map((word) => {
    const [kind = '', name = '', ...rest] = word.split('/')
    const resource = resourceOf(kind, words)
    if (name === '' || rest.length > 0) throw new UsageError(`explain: expected KIND/NAME, not "${word}"`, HELP)
    return { resource, name }
  })
}

function resourceOf(kind: string, words: readonly string[]): ResourceRef {
  const resource = kindByWord(kind.toLowerCase(), kinds)
  if (resource !== undefined) return resource
  const hint =
    words.length === 1 && !kind.includes('/')
      ? `Run: ${shellCommand('kubectl', 'berth', 'explain', 'pod', kind)}`
      : HELP
  throw new UsageError(
    `explain: cannot explain "${kind}", only pods, deployments, statefulsets, daemonsets, replicasets and jobs`,
    hint,
  )
}
