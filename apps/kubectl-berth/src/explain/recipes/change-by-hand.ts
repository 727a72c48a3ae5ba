import { printableLine } from '@berth/text/printable'
import { shellCommand, shellWord } from '@berth/text/shell-command'
import type { FixRecipe, FixTarget } from './fix-recipe.ts'

/** Kinds that `kubectl set resources` can change. A custom kind of the same name is not among them. */
const changeableKinds: ReadonlySet<string> = new Set([
  'apps/v1 Deployment',
  'apps/v1 StatefulSet',
  'apps/v1 DaemonSet',
  'apps/v1 ReplicaSet',
  'batch/v1 Job',
  'batch/v1 CronJob',
])

/** Returns the words that name what can be changed: the workload of the pod, or the pod itself. */
export function changeableObject({ pod, workload }: FixTarget): string | undefined {
  if (workload === undefined) return `pod/${pod.metadata.name ?? ''}`
  const { apiVersion, kind, name } = workload
  return changeableKinds.has(`${apiVersion} ${kind}`) ? `${kind.toLowerCase()}/${name}` : undefined
}

/** Names the workload that owns the pod, for sentences. */
export function ownerText(workload: FixTarget['workload']): string {
  return `the ${workload?.kind} that owns the pod, ${workload?.name}`
}

/** Changes the manifest and applies it again. */
export function applyAgain(file: string, change: string): FixRecipe {
  return {
    commands: [shellCommand('kubectl', 'apply', '-f', file === '-' || printableLine(file) !== file ? 'FILE' : file)],
    note: `first ${change}`,
  }
}

/** Reads a pod into a file, to be changed by hand, and creates it again. */
export function recreateByHand(
  { name, namespace }: { readonly name: string; readonly namespace: string },
  change: string,
): FixRecipe {
  const copy = `${name}.yaml`
  const read = shellCommand('kubectl', 'get', 'pod', name, '-n', namespace, '-o', 'yaml')
  return {
    commands: [`${read} > ${shellWord(copy)}`, shellCommand('kubectl', 'replace', '--force', '-f', copy)],
    note: `between the two commands, ${change} in the file: this cannot be changed in place`,
  }
}
