import { parseQuantity, podRequest } from '@berth/resources'
import type { Pod } from '@berth/types'
import type { ApiObject } from '../schema/json/api-object.ts'
import { byCodeUnit, equalJson, listAt, own, stringAt, valueAt } from '../schema/json/json-object.ts'
import { StatusError } from '../schema/status/status-error.ts'
import { forbidden } from '../schema/status/api-errors.ts'
import type { ServerContext } from '../resources/context/server-context.ts'

const PODS = { group: '', plural: 'pods', kind: 'Pod' }
const OS_LABEL = 'kubernetes.io/os'

/**
 * Throws a 403 if the pod's node cannot carry out a resize: it lacks a required feature, does not run Linux, or has too
 * little cpu or memory.
 *
 * @see kubernetes plugin/pkg/admission/nodedeclaredfeatures, plugin/pkg/admission/podresize (v1.36)
 * @throws BERTH_SIMULATOR_REFUSED (403)
 */
export function requireResizable({ store }: ServerContext, pod: ApiObject, old: ApiObject): void {
  const nodeName = stringAt(pod, 'spec', 'nodeName')
  if (nodeName === '' || pod.metadata.generation === old.metadata.generation) return
  const refuse = (why: string): Error => forbidden(PODS, pod.metadata.name ?? '', why)
  const node = store.collection('/nodes').get(nodeName)
  if (node === undefined) throw refuse(`node ${JSON.stringify(nodeName)} not found`)
  const declared = new Set(listAt(node, 'status', 'declaredFeatures'))
  const missing = requiredFeatures(pod, old).filter((feature) => !declared.has(feature))
  if (missing.length > 0) {
    const features = missing.toSorted(byCodeUnit).join(', ')
    throw refuse(`pod update requires features ${features} which are not available on node ${JSON.stringify(nodeName)}`)
  }
  const system = node.metadata.labels?.[OS_LABEL] ?? 'linux'
  if (system !== 'linux') {
    const which = `node ${JSON.stringify(nodeName)} is ${JSON.stringify(system)}`
    throw withCause('UnsupportedPlatform', refuse(`pod resize is only supported on linux nodes, ${which}`))
  }
  const short = shortages(pod, node)
  if (short.length === 0) return
  throw withCause('NodeCapacity', refuse(`node didn't have enough allocatable resources: ${short.join('; ')}`))
}

function requiredFeatures(pod: ApiObject, old: ApiObject): readonly string[] {
  const isInitResized = listAt(old, 'spec', 'initContainers').some(
    (before, i) =>
      own(before, 'restartPolicy') !== 'Always' &&
      !equalJson(own(before, 'resources'), own(listAt(pod, 'spec', 'initContainers')[i], 'resources')),
  )
  const isPodLevelResized = !equalJson(valueAt(pod, 'spec', 'resources'), valueAt(old, 'spec', 'resources'))
  return [
    ...(isPodLevelResized ? ['InPlacePodLevelResourcesVerticalScaling'] : []),
    ...(isInitResized ? ['InPlacePodVerticalScalingInitContainers'] : []),
  ]
}

function shortages(pod: ApiObject, node: ApiObject): readonly string[] {
  const { milliCpu, memory } = podRequest(pod as unknown as Pod)
  const allocatable = (name: string): string => stringAt(node, 'status', 'allocatable', name) || '0'
  const cpu = parseQuantity(allocatable('cpu')).milliValue()
  const bytes = parseQuantity(allocatable('memory')).value()
  return [
    ...(milliCpu > cpu ? [`cpu, requested: ${milliCpu}, allocatable: ${cpu}`] : []),
    ...(memory > bytes ? [`memory, requested: ${memory}, allocatable: ${bytes}`] : []),
  ]
}

// Adds a machine-readable cause to a refusal.
function withCause(reason: string, refusal: Error): Error {
  if (!(refusal instanceof StatusError)) return refusal
  const { status, message } = refusal
  return new StatusError({ ...status, message, details: { ...status.details, causes: [{ reason }] } })
}
