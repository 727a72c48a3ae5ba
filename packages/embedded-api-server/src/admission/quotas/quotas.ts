import {
  isExtendedResourceName,
  parseQuantity,
  podLimits,
  podRequestList,
  quantityMap,
  type Quantity,
} from '@berth/resources'
import type { Pod } from '@berth/types'
import { qosClassOf } from '../../resources/pods/pod-spec-defaults.ts'
import type { ApiObject } from '../../schema/json/api-object.ts'
import { byCodeUnit, listAt, numberAt, objectAt, own, stringAt } from '../../schema/json/json-object.ts'
import { forbidden } from '../../schema/status/api-errors.ts'
import type { ResourceRequest } from '../../resources/context/resource-request.ts'
import type { ServerContext } from '../../resources/context/server-context.ts'

/** Amounts by quota name, such as `requests.cpu` or `count/secrets`. */
export type Usage = ReadonlyMap<string, Quantity>

const QUOTAS = '/resourcequotas'
const ONE = parseQuantity('1')
const ZERO = parseQuantity('0')
const COMPUTE_RESOURCES: ReadonlySet<string> = new Set(['cpu', 'memory', 'ephemeral-storage'])
/** Quota names that every container must declare a request or limit for, once a quota limits them. */
const REQUIRED_WHEN_LIMITED = ['cpu', 'memory', 'requests.cpu', 'requests.memory', 'limits.cpu', 'limits.memory']
/** Kinds that quotas also count by their plain name, not only as `count/…`. */
const KINDS_COUNTED_BY_NAME: ReadonlySet<string> = new Set([
  'configmaps',
  'persistentvolumeclaims',
  'replicationcontrollers',
  'resourcequotas',
  'secrets',
  'services',
])

/**
 * Returns what an object counts towards quotas.
 *
 * @see kubernetes pkg/quota/v1/evaluator/core (v1.36)
 */
export function usageOf(storage: string, object: ApiObject): Usage {
  const [group = '', plural = ''] = storage.split('/')
  const usage = new Map<string, Quantity>([[`count/${group === '' ? plural : `${plural}.${group}`}`, ONE]])
  if (storage === '/pods') addPodUsage(usage, object)
  if (group === '' && KINDS_COUNTED_BY_NAME.has(plural)) usage.set(plural, ONE)
  if (storage === '/persistentvolumeclaims') {
    const requestedStorage = stringAt(object, 'spec', 'resources', 'requests', 'storage')
    if (requestedStorage !== '') usage.set('requests.storage', parseQuantity(requestedStorage))
  }
  return usage
}

function addPodUsage(usage: Map<string, Quantity>, object: ApiObject): void {
  const phase = stringAt(object, 'status', 'phase')
  if (phase === 'Succeeded' || phase === 'Failed') return
  const pod = object as unknown as Pod
  usage.set('pods', ONE)
  for (const [name, amount] of podRequestList(pod)) {
    if (COMPUTE_RESOURCES.has(name)) usage.set(name, amount).set(`requests.${name}`, amount)
    else if (name.startsWith('hugepages-')) usage.set(name, amount).set(`requests.${name}`, amount)
    else if (isExtendedResourceName(name)) usage.set(`requests.${name}`, amount)
  }
  for (const [name, amount] of podLimits(pod)) if (COMPUTE_RESOURCES.has(name)) usage.set(`limits.${name}`, amount)
}

/** Returns the usage in the quota's namespace, for the names that the quota limits. */
export function usageInNamespace(context: ServerContext, quota: ApiObject): Usage {
  const names = Object.keys(objectAt(quota, 'spec', 'hard'))
  const used = new Map<string, Quantity>(names.map((name) => [name, parseQuantity('0')]))
  const storages = new Set(names.map(storageOfQuotaName).filter((storage) => storage !== undefined))
  for (const storage of storages) {
    for (const object of context.store.collection(storage).list()) {
      if (object.metadata.namespace !== quota.metadata.namespace || !isInScope(quota, storage, object)) continue
      for (const [name, amount] of usageOf(storage, object)) {
        const sum = used.get(name)
        if (sum !== undefined && storageOfQuotaName(name) === storage) used.set(name, sum.add(amount))
      }
    }
  }
  return used
}

function storageOfQuotaName(name: string): string | undefined {
  if (name.startsWith('count/')) {
    const [plural = '', ...group] = name.slice('count/'.length).split('.')
    return `${group.join('.')}/${plural}`
  }
  if (name === 'requests.storage') return '/persistentvolumeclaims'
  if (KINDS_COUNTED_BY_NAME.has(name)) return `/${name}`
  return name === 'pods' || COMPUTE_RESOURCES.has(name) || /^(requests|limits)\.|^hugepages-/.test(name)
    ? '/pods'
    : undefined
}

// Scopes restrict a quota to some pods. A quota with scopes counts no other kind.
function isInScope(quota: ApiObject, storage: string, object: ApiObject): boolean {
  const scopes = listAt(quota, 'spec', 'scopes').map((scope) => ({ scopeName: scope, operator: 'Exists' }))
  const all = [...scopes, ...listAt(quota, 'spec', 'scopeSelector', 'matchExpressions')]
  if (all.length === 0) return true
  return storage === '/pods' && all.every((each) => matchesScope(each, object))
}

function matchesScope(scope: unknown, pod: ApiObject): boolean {
  const spec = objectAt(pod, 'spec')
  const deadline = numberAt(spec, 'activeDeadlineSeconds')
  switch (own(scope, 'scopeName')) {
    case 'Terminating':
      return deadline !== undefined
    case 'NotTerminating':
      return deadline === undefined
    case 'BestEffort':
      return qosClassOf(spec) === 'BestEffort'
    case 'NotBestEffort':
      return qosClassOf(spec) !== 'BestEffort'
    case 'PriorityClass': {
      const name = stringAt(spec, 'priorityClassName')
      const values = listAt(scope, 'values')
      switch (own(scope, 'operator')) {
        case 'In':
          return values.includes(name)
        case 'NotIn':
          return !values.includes(name)
        case 'DoesNotExist':
          return name === ''
        default:
          return name !== ''
      }
    }
    default:
      return true
  }
}

/**
 * Throws a 403 if a new or enlarged object would exceed a quota of its namespace.
 *
 * @see k8s.io/apiserver pkg/admission/plugin/resourcequota (v0.36)
 * @throws BERTH_SIMULATOR_REFUSED (403)
 */
export function requireQuota(
  context: ServerContext,
  request: ResourceRequest,
  object: ApiObject,
  old?: ApiObject,
): void {
  const quotas = context.store.collection(QUOTAS)
  if (quotas.size === 0 || !request.kind.namespaced) return
  const { storage } = request.kind
  for (const quota of quotas.list()) {
    if (quota.metadata.namespace !== object.metadata.namespace || !isInScope(quota, storage, object)) continue
    const hard = quantityMap(objectAt(quota, 'spec', 'hard') as Readonly<Record<string, string>>)
    const oldUsage = old !== undefined && isInScope(quota, storage, old) ? usageOf(storage, old) : undefined
    const added = oldUsage === undefined ? usageOf(storage, object) : usageIncrease(usageOf(storage, object), oldUsage)
    const requested = new Map([...added].filter(([name]) => hard.has(name)))
    if (storage === '/pods') requireDeclaredResources(request, quota, object)
    if (requested.size === 0) continue
    const used = usageInNamespace(context, quota)
    const exceeded = [...requested.keys()].filter((name) => {
      const [limit, usedAmount, amount] = [hard.get(name), used.get(name), requested.get(name)]
      if (limit === undefined || usedAmount === undefined || amount === undefined) return false
      return usedAmount.add(amount).cmp(limit) > 0
    })
    if (exceeded.length === 0) continue
    const shown = (amounts: Usage): string =>
      exceeded
        .toSorted(byCodeUnit)
        .map((name) => `${name}=${amounts.get(name)?.toString() ?? '0'}`)
        .join(',')
    const why = `exceeded quota: ${quota.metadata.name}, requested: ${shown(requested)}, used: ${shown(used)}, limited: ${shown(hard)}`
    throw forbidden(request.kind, object.metadata.name ?? '', why)
  }
}

// Returns the amounts by which usage grew.
function usageIncrease(usage: Usage, before: Usage): Usage {
  return new Map(
    [...usage].flatMap(([name, amount]) => {
      const more = amount.sub(before.get(name) ?? ZERO)
      return more.sign() > 0 ? [[name, more] as const] : []
    }),
  )
}

function requireDeclaredResources(request: ResourceRequest, quota: ApiObject, pod: ApiObject): void {
  const names = REQUIRED_WHEN_LIMITED.filter((name) => own(objectAt(quota, 'spec', 'hard'), name) !== undefined)
  const containers = ['containers', 'initContainers'].flatMap((key) => listAt(pod, 'spec', key))
  const missing = names.toSorted(byCodeUnit).flatMap((name) => {
    const [kind = '', resource = ''] = name.includes('.') ? name.split('.') : ['requests', name]
    const without = containers.filter((each) => own(objectAt(each, 'resources', kind), resource) === undefined)
    const list = [...new Set(without.map((each) => stringAt(each, 'name')))].toSorted(byCodeUnit)
    return list.length === 0 ? [] : [`${name} for: ${list.join(',')}`]
  })
  if (missing.length === 0) return
  throw forbidden(
    request.kind,
    pod.metadata.name ?? '',
    `failed quota: ${quota.metadata.name}: must specify ${missing.join('; ')}`,
  )
}
