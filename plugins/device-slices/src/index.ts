/** Slices of devices: all slices of a pod are on one device, and an annotation names it. */
import { StatusCode, defineSchedulingPlugin } from '@berth/plugin-api'
import type { ClusterEvent, SchedulingPlugin } from '@berth/plugin-api'
import { type DeviceSlicesArgs, annotationOf, argsSchema } from './args.ts'
import { chooseDevice, devicesOf, type NodeDevices, type SliceRules, totalFree } from './devices.ts'

/**
 * Rejects nodes on which no single device has enough free slices, and writes the device into the Binding. It has no state:
 * the annotations of the pods on a node say which slices are taken, also while a pod is being bound and after a restart.
 */
export const plugin: SchedulingPlugin<DeviceSlicesArgs> = defineSchedulingPlugin({
  apiVersion: 'berth.dev/v1',
  name: 'device-slices',
  description: 'Gives a pod all its slices on one device of the node, and names the device in an annotation.',
  argsSchema,
  needsBind: true,
  create(args) {
    const { resource, slicesPerDevice } = args
    const annotation = annotationOf(args)
    const rules = { ...args, annotation }
    return {
      preFilter: (pod, _candidates, { cluster }) => {
        const slices = cluster.requestOf(pod, resource)
        if (slices <= 0n) return { kind: 'skip' }
        if (slices <= BigInt(slicesPerDevice)) return undefined
        const reasons = [`a device of ${resource} has ${slicesPerDevice} slices, and the pod requests ${slices}`]
        return { kind: 'reject', code: StatusCode.UnschedulableAndUnresolvable, reasons }
      },
      filter(pod, { rows, count }, output, { cluster }) {
        const slices = Number(cluster.requestOf(pod, resource))
        for (let i = 0; i < count; i++) {
          const devices = devicesOf(rows[i] ?? -1, rules, cluster)
          if (chooseDevice(devices, slices, rules) !== undefined) continue
          const code = devices.count === 0 ? StatusCode.UnschedulableAndUnresolvable : StatusCode.Unschedulable
          output.reject(i, code, reasonFor(devices, slices, rules))
        }
      },
      bindingAnnotations(pod, row, { cluster }) {
        const slices = Number(cluster.requestOf(pod, resource))
        if (slices <= 0) return undefined
        const device = chooseDevice(devicesOf(row, rules, cluster), slices, rules)
        if (device === undefined) throw new Error(`no device has ${slices} free slices of ${resource}`)
        return { [annotation]: String(device) }
      },
      queueingHint: (_pod, event) => mayFreeSlices(event, annotation),
    }
  },
})

/** Returns a reason without values that differ by node, because equal reasons are counted. */
function reasonFor(devices: NodeDevices, slices: number, rules: SliceRules): string {
  const { resource, slicesPerDevice } = rules
  if (devices.count === 0) return `node(s) have no device with slices of ${resource}`
  if (totalFree(devices, slicesPerDevice) < slices) return `node(s) have too few free slices of ${resource}`
  if (chooseDevice({ ...devices, unknown: 0 }, slices, rules) !== undefined) {
    return `node(s) run a pod whose device of ${resource} is not known, which may hold the free slices`
  }
  return `node(s) have enough free slices of ${resource}, but not on one device`
}

function mayFreeSlices(event: ClusterEvent, annotation: string): boolean {
  if (event.kind === 'pod-changed') {
    return event.old.metadata.annotations?.[annotation] !== event.pod.metadata.annotations?.[annotation]
  }
  return event.kind === 'pod-left' || event.kind === 'node-added' || event.kind === 'node-changed'
}
