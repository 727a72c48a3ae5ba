import { isEmptyRequest, isExtendedResourceName, podRequest } from '@berth/resources'
import type { Pod } from '@berth/types'
import type { EngineContext } from '../../framework/engine-plugin.ts'
import { addAmounts, type Amount, subtractAmounts, toAmount } from '../../state/resources/amount.ts'
import { PODS } from '../../state/resources/resource-names.ts'
import { deviceClassFor } from '../delegated-resources/device-class-for.ts'

/** One comparison that NodeResourcesFit makes on every node. */
export interface Demand {
  readonly resourceName: string
  /** Undefined when no node offers and no pod holds the resource. */
  readonly id: number | undefined
  readonly amount: Amount
  readonly reason: string
  /** Asking for more than the node ever has is final; being one pod too many is not. */
  readonly canBeFinal: boolean
  /** The DeviceClass that backs the name: nodes that do not offer it leave it to dynamic resource allocation. */
  readonly deviceClass: string | undefined
}

/** Extended resources that the operator told NodeResourcesFit not to look at. */
export interface IgnoredResources {
  readonly names: ReadonlySet<string>
  /** Prefixes up to the slash. */
  readonly groups: ReadonlySet<string>
}

const STATE_KEY = 'demands'
const onePod: Demand = {
  resourceName: 'pods',
  id: PODS,
  amount: 1,
  reason: 'Too many pods',
  canBeFinal: false,
  deviceClass: undefined,
}

function isIgnored(name: string, ignored: IgnoredResources): boolean {
  if (ignored.names.size === 0 && ignored.groups.size === 0) return false
  if (!isExtendedResourceName(name)) return false
  return ignored.names.has(name) || ignored.groups.has(name.slice(0, Math.max(0, name.indexOf('/'))))
}

/** What to compare for the pod, in the order of the reasons: pods, cpu, memory, ephemeral-storage, others by name. */
export function demandsOf(pod: Pod, ignored: IgnoredResources, context: EngineContext): readonly Demand[] {
  const known = context.state.get(STATE_KEY)
  if (known !== undefined) return known as readonly Demand[]
  const request = podRequest(pod)
  const demands: Demand[] = [onePod]
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
        canBeFinal: true,
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
 * The one comparison: does the node have less left than is asked for? Subtraction wraps as in Go, where pods alone are
 * added up, so that no wrapped offer of them is ever enough.
 */
export function isShort(id: number | undefined, amount: Amount, allocatable: Amount, requested: Amount): boolean {
  if (id === PODS) return addAmounts(requested, amount) > allocatable
  return amount > subtractAmounts(allocatable, requested)
}
