import type { Fix } from '@berth/fit-engine'
import { isDnsSubdomain, isExtendedResourceName, qualifiedNameProblem, resourceAmounts } from '@berth/resources'
import { printableLine } from '@berth/text/printable'
import { shellCommand, shellWord } from '@berth/text/shell-command'
import type { Node, OwnerReference, Pod } from '@berth/types'
import { shownAmount } from '../output/shown-amount.ts'

/** Node annotation that lists the resources that Berth's advertiser wrote. */
const ADVERTISED_ANNOTATION = 'berth.dev/advertised'

/** The pod and its surroundings to which a fix is applied. */
export interface FixTarget {
  readonly pod: Pod
  /** The workload that created the pod; undefined for a pod without one. */
  readonly workload: Pick<OwnerReference, 'apiVersion' | 'kind' | 'name'> | undefined
  /** The manifest from which the pod was read; undefined when the pod is in the cluster. */
  readonly file: string | undefined
  readonly nodeOf: (name: string) => Node | undefined
}

/** Instructions for applying a fix: shell commands, or a note when no command can do it. */
export interface FixRecipe {
  readonly commands: readonly string[]
  readonly note?: string
}

/** Kinds that `kubectl set resources` can change. A custom kind of the same name is not among them. */
const changeableKinds: ReadonlySet<string> = new Set([
  'apps/v1 Deployment',
  'apps/v1 StatefulSet',
  'apps/v1 DaemonSet',
  'apps/v1 ReplicaSet',
  'batch/v1 Job',
  'batch/v1 CronJob',
])

/**
 * Returns the commands that apply a fix, to paste into a shell: every word is quoted. The API server does not validate
 * every name (those of owners, for example), so a command is returned only for valid names and known kinds.
 */
export function fixRecipe(fix: Fix, target: FixTarget): FixRecipe {
  const invalid = namesOf(fix, target).find((name) => !isDnsSubdomain(name))
  const invalidResource = resourceNamesOf(fix).find((name) => qualifiedNameProblem(name) !== undefined)
  const name = invalid ?? invalidResource
  if (name !== undefined) return { commands: [], note: `no command: ${JSON.stringify(name)} is not a valid name` }
  switch (fix.kind) {
    case 'lower-request':
      return lowerRequest(fix.changes, target)
    case 'evict': {
      const byNamespace = Map.groupBy(fix.pods, ({ namespace }) => namespace)
      return {
        commands: [...byNamespace].map(([namespace, pods]) =>
          shellCommand('kubectl', 'delete', 'pod', ...pods.map((pod) => pod.name), '-n', namespace),
        ),
      }
    }
    case 'add-capacity':
      return addCapacity(fix.node, fix.additions, target)
  }
}

/** Returns the names of objects that the commands of a fix contain. */
function namesOf(fix: Fix, { pod, workload, file }: FixTarget): readonly string[] {
  switch (fix.kind) {
    case 'lower-request': {
      if (file !== undefined) return []
      const { name = '', namespace = 'default' } = pod.metadata
      return [workload?.name ?? name, namespace, ...pod.spec.containers.map((container) => container.name)]
    }
    case 'evict':
      return fix.pods.flatMap(({ namespace, name }) => [namespace, name])
    case 'add-capacity':
      return [fix.node]
  }
}

function resourceNamesOf(fix: Fix): readonly string[] {
  const parts = fix.kind === 'lower-request' ? fix.changes : fix.kind === 'add-capacity' ? fix.additions : []
  return parts.map(({ resourceName }) => resourceName)
}

type RequestChange = Extract<Fix, { kind: 'lower-request' }>['changes'][number]
type Addition = Extract<Fix, { kind: 'add-capacity' }>['additions'][number]

function lowerRequest(changes: readonly RequestChange[], { pod, workload, file }: FixTarget): FixRecipe {
  const { name = '', namespace = 'default' } = pod.metadata
  const amounts = changes.map(({ resourceName, to }) => `${resourceName}=${shownAmount(resourceName, to)}`)
  if (file !== undefined) {
    return {
      commands: [shellCommand('kubectl', 'apply', '-f', file === '-' || printableLine(file) !== file ? 'FILE' : file)],
      note: `first set ${amounts.join(' and ')} in requests and limits of the manifest`,
    }
  }
  const containers = new Set(changes.map(({ resourceName }) => requestingContainer(pod, resourceName)))
  const [container] = containers
  if (workload !== undefined) {
    const { apiVersion, kind } = workload
    if (!changeableKinds.has(`${apiVersion} ${kind}`))
      return { commands: [], note: `set ${amounts.join(' and ')} in the ${kind} that owns the pod, ${workload.name}` }
    const object = `${kind.toLowerCase()}/${workload.name}`
    if (containers.size !== 1 || container === undefined)
      return { commands: [shellCommand('kubectl', 'edit', object, '-n', namespace)] }
    const list = amounts.join(',')
    const values = ['-c', container, `--requests=${list}`, `--limits=${list}`]
    return { commands: [shellCommand('kubectl', 'set', 'resources', object, '-n', namespace, ...values)] }
  }
  const edits = changes.flatMap(({ resourceName, from, to }) => {
    const key = resourceName.replaceAll('.', '\\.')
    return ['-e', `s|${key}: "${shownAmount(resourceName, from)}"|${resourceName}: "${shownAmount(resourceName, to)}"|`]
  })
  const read = shellCommand('kubectl', 'get', 'pod', name, '-n', namespace, '-o', 'yaml')
  const copy = `${name}.yaml`
  const areExtended = changes.every(({ resourceName }) => isExtendedResourceName(resourceName))
  if (!areExtended || containers.size !== 1 || container === undefined) {
    return {
      commands: [`${read} > ${shellWord(copy)}`, shellCommand('kubectl', 'replace', '--force', '-f', copy)],
      note: `between the two commands, set ${amounts.join(' and ')} in the file: requests cannot be changed in place`,
    }
  }
  return {
    commands: [
      [read, shellCommand('sed', ...edits), shellCommand('kubectl', 'replace', '--force', '-f', '-')].join(' | '),
    ],
    note: 'this recreates the pod: requests cannot be changed in place',
  }
}

/** Returns the container that requests the resource; undefined when there are none or several. */
function requestingContainer(pod: Pod, resourceName: string): string | undefined {
  const asking = [...(pod.spec.initContainers ?? []), ...pod.spec.containers].filter(
    ({ resources }) => (resourceAmounts({ ...resources?.limits, ...resources?.requests }).get(resourceName) ?? 0n) > 0n,
  )
  return asking.length === 1 ? asking[0]?.name : undefined
}

function addCapacity(nodeName: string, additions: readonly Addition[], { nodeOf }: FixTarget): FixRecipe {
  const node = nodeOf(nodeName)
  const offered = resourceAmounts(node?.status?.allocatable)
  const totals = additions.map(
    ({ resourceName, amount }) => [resourceName, (offered.get(resourceName) ?? 0n) + amount] as const,
  )
  const list = totals.map(([name, total]) => `${name}: ${shownAmount(name, total)}`).join(', ')
  if (!additions.every(({ resourceName }) => isExtendedResourceName(resourceName))) {
    return { commands: [], note: `this needs a larger machine or another node with ${list}` }
  }
  const owned = node?.metadata.annotations?.[ADVERTISED_ANNOTATION] ?? ''
  if (additions.some(({ resourceName }) => owned.includes(`"${resourceName}"`))) {
    return { commands: [], note: `set units in the configuration of Berth's advertiser for node ${nodeName}: ${list}` }
  }
  const values = Object.fromEntries(totals.map(([name, total]) => [name, total.toString()]))
  const patch = JSON.stringify({ status: { capacity: values, allocatable: values } })
  return {
    commands: [shellCommand('kubectl', 'patch', 'node', nodeName, '--subresource=status', '--type=merge', '-p', patch)],
    note: 'only if the node really has these units and no device plugin advertises them',
  }
}
