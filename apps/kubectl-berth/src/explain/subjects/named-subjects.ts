import { resourceRefs, type ResourceRef } from '@berth/k8s-client'
import { shellCommand } from '@berth/text/shell-command'
import { kindByWord } from '../../cli/kind-by-word.ts'
import { UsageError } from '../../errors.ts'

/** A pod or a workload that the command line names. */
export interface NamedSubject {
  readonly resource: ResourceRef
  readonly name: string
}

const kinds: readonly ResourceRef[] = [
  resourceRefs.pods,
  resourceRefs.deployments,
  resourceRefs.replicaSets,
  resourceRefs.statefulSets,
  resourceRefs.daemonSets,
  resourceRefs.jobs,
]

/** A command that takes pods and workloads, for its messages. */
export interface SubjectCommand {
  readonly command: string
  /** `explain` in `cannot explain "node"`. */
  readonly verb: string
}

/**
 * Reads pods and workloads from the words of a command line: `pod a b`, `pod/a deploy/b`.
 *
 * @throws UsageError BERTH_KUBECTL_USAGE
 */
export function namedSubjects(words: readonly string[], user: SubjectCommand): readonly NamedSubject[] {
  const [first = '', ...names] = words
  const { command } = user
  const help = `Run: kubectl berth ${command} --help`
  if (!first.includes('/')) {
    const resource = resourceOf(first, words, user)
    if (names.length === 0 || names.some((name) => name === '' || name.includes('/')))
      throw new UsageError(`${command}: expected names after "${first}"`, help)
    return names.map((name) => ({ resource, name }))
  }
  return words.map((word) => {
    const [kind = '', name = '', ...rest] = word.split('/')
    const resource = resourceOf(kind, words, user)
    if (name === '' || rest.length > 0) throw new UsageError(`${command}: expected KIND/NAME, not "${word}"`, help)
    return { resource, name }
  })
}

function resourceOf(kind: string, words: readonly string[], { command, verb }: SubjectCommand): ResourceRef {
  const resource = kindByWord(kind.toLowerCase(), kinds)
  if (resource !== undefined) return resource
  const hint =
    words.length === 1 && !kind.includes('/')
      ? `Run: ${shellCommand('kubectl', 'berth', command, 'pod', kind)}`
      : `Run: kubectl berth ${command} --help`
  throw new UsageError(
    `${command}: cannot ${verb} "${kind}", only pods, deployments, statefulsets, daemonsets, replicasets and jobs`,
    hint,
  )
}
