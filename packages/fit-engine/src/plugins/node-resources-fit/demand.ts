import { isEmptyRequest, isExtendedResourceName, podRequest } from '@berth/resources'
import type { Pod } from '@berth/types'
import type { EngineContext } from '../../framework/engine-plugin.ts'
import { type RoomDemand, roomDemand } from '../../framework/room-demand.ts'
import { addAmounts, type Amount, subtractAmounts, toAmount } from '../../state/resources/amount.ts'
import { PODS } from '../../state/resources/resource-names.ts'
import { deviceClassFor } from '../delegated-resources/device-class-for.ts'
import { unitsOf } from './units-of.ts'

/** One amount that NodeResourcesFit compares on every node. */
export interface ResourceDemand {
  readonly resourceName: string
  /** Undefined when no node offers the resource and no pod holds it. */
  readonly id: number | undefined
  readonly amount: Amount
  readonly reason: string
  /** Whether a request above the node's whole capacity is unresolvable. False only for the number of pods. */
  readonly canBeUnresolvable: boolean
  /** The DeviceClass that backs the resource. On nodes that do not offer it, dynamic resource allocation decides. */
  readonly deviceClass: string | undefined
}

/** Extended resources that NodeResourcesFit is configured to ignore. */
export interface IgnoredResources {
  readonly names: ReadonlySet<string>
  /** Parts of resource names before the slash. */
  readonly groups: ReadonlySet<string>
}

const STATE_KEY = 'demands'
const onePod: ResourceDemand = {
  resourceName: 'pods',
  id: PODS,
  amount: 1,
  reason: 'Too many pods',
  canBeUnresolvable: false,
  deviceClass: undefined,
}

/** Returns whether NodeResourcesFit is configured to ignore a resource. Only extended resources can be ignored. */
export function isIgnored(name: string, ignored: IgnoredResources): boolean {
  if (ignored.names.size === 0 && ignored.groups.size === 0) return false
  if (!isExtendedResourceName(name)) return false
  return ignored.names.has(name) || ignored.groups.has(name.slice(0, Math.max(0, name.indexOf('/'))))
}

/** Returns what must be free on a node for the pod to fit. */
export function roomDemandOf(pod: Pod, ignored: IgnoredResources): RoomDemand {
  const units = [...unitsOf(podRequest(pod))].filter(([name]) => !isIgnored(name, ignored))
  return roomDemand(pod, [['pods', 1n], ...units])
}

/**
 * Returns the demands of the pod in the order of their reasons: pods, cpu, memory, ephemeral-storage, others by name.
 */
export function demandsOf(pod: Pod, ignored: IgnoredResources, context: EngineContext): readonly ResourceDemand[] {
  const known = context.state.get(STATE_KEY)
  if (known !== undefined) return known as readonly ResourceDemand[]
  const request = podRequest(pod)
  const demands: ResourceDemand[] = [onePod]
  if (!isEmptyRequest(request)) {
    const { objects, store } = context.cluster
    const add = (resourceName: string, amount: bigint): void => {
      if (amount <= 0n) return
      const deviceClass = deviceClassFor(resourceName, objects)
      demands.push({
        resourceName,
        id: store.names.idOf(resourceName),
        amount: toAmount(amount),
        reason: `Insufficient ${resourceName}`,
        canBeUnresolvable: true,
        deviceClass,
      })
    }
    add('cpu', request.milliCpu)
    add('memory', request.memory)
    add('ephemeral-storage', request.ephemeralStorage)
    const scalars = Array.from(request.scalar.keys()).filter((name) => !isIgnored(name, ignored))
    for (const name of scalars.sort()) add(name, request.scalar.get(name) ?? 0n)
  }
  context.state.set(STATE_KEY, demands)
  return demands
}

/**
 * Returns whether a node has fewer free units of the resource than `amount`. As in Go, the subtraction wraps. Numbers
 * of pods are added instead, so that a node whose allocatable pods wrapped below 0 accepts no pod.
 */
export function isShort(id: number | undefined, amount: Amount, allocatable: Amount, requested: Amount): boolean {
  if (id === PODS) return addAmounts(requested, amount) > allocatable
  return amount > subtractAmounts(allocatable, requested)
}
