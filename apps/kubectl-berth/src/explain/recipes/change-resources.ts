import type { AddCapacityFix, LowerRequestFix } from '@berth/fit-engine'
import { isExtendedResourceName, resourceAmounts } from '@berth/resources'
import { shellCommand } from '@berth/text/shell-command'
import type { Pod } from '@berth/types'
import { shownAmount } from '../../output/shown-amount.ts'
import { applyAgain, changeableObject, ownerText, recreateByHand } from './change-by-hand.ts'
import type { FixRecipe, FixTarget } from './fix-recipe.ts'

/** Node annotation that lists the resources that Berth's advertiser wrote. */
const ADVERTISED_ANNOTATION = 'berth.dev/advertised'

type RequestChange = LowerRequestFix['changes'][number]
type Addition = AddCapacityFix['additions'][number]

/** Lowers requests in the manifest, the workload or the pod. */
export function lowerRequest(changes: readonly RequestChange[], target: FixTarget): FixRecipe {
  const { pod, workload, file } = target
  const { name = '', namespace = 'default' } = pod.metadata
  const amounts = changes.map(({ resourceName, to }) => `${resourceName}=${shownAmount(resourceName, to)}`)
  if (file !== undefined) return applyAgain(file, `set ${amounts.join(' and ')} in requests and limits of the manifest`)
  const containers = new Set(changes.map(({ resourceName }) => requestingContainer(pod, resourceName)))
  const [container] = containers
  if (workload !== undefined) {
    const object = changeableObject(target)
    if (object === undefined) return { commands: [], note: `set ${amounts.join(' and ')} in ${ownerText(workload)}` }
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
  const areExtended = changes.every(({ resourceName }) => isExtendedResourceName(resourceName))
  if (!areExtended || containers.size !== 1 || container === undefined) {
    return recreateByHand({ name, namespace }, `set ${amounts.join(' and ')}`)
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

/** Increases what a node offers. */
export function addCapacity(nodeName: string, additions: readonly Addition[], { nodeOf }: FixTarget): FixRecipe {
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
