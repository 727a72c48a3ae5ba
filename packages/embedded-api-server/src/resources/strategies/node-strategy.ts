import type { ApiObject } from '../../schema/json/api-object.ts'
import { listAt, objectAt, own, stringAt, type JsonObject } from '../../schema/json/json-object.ts'
import { fieldError } from '../../schema/status/field-error.ts'
import type { StatusCause } from '../../schema/status/status-error.ts'
import { labelValue, qualifiedName } from '../../schema/name-rules.ts'
import { validateAmount } from '../validation/validate-resources.ts'
import type { Strategy } from '../kinds/strategy.ts'

/**
 * Write rules of Nodes: a new Node keeps the status in the request, and an update of the status may also change labels
 * and annotations. The kubelet relies on both.
 *
 * @see kubernetes pkg/registry/core/node/strategy.go (v1.36)
 */
export const nodeStrategy: Strategy = {
  defaults: (node) => ({ ...node, spec: objectAt(node, 'spec'), status: withAllocatable(objectAt(node, 'status')) }),
  prepareCreate: (node) => node,
  prepareStatusUpdate: (node, old) => ({ ...node, spec: old['spec'] }),
  validate: (node) => [
    ...validateAmounts(node, 'capacity'),
    ...validateAmounts(node, 'allocatable'),
    ...listAt(node, 'spec', 'taints').flatMap((taint, i) => validateTaint(taint, `metadata.taints[${i}]`)),
    ...validateRepeatedTaints(node),
  ],
}

// Upstream's SetDefaults_NodeStatus: a status without allocatable offers its capacity.
function withAllocatable(status: JsonObject): JsonObject {
  const capacity = objectAt(status, 'capacity')
  return Object.keys(capacity).length > 0 && !Object.hasOwn(status, 'allocatable')
    ? { ...status, allocatable: capacity }
    : status
}

function validateAmounts(node: ApiObject, key: string): readonly StatusCause[] {
  return Object.entries(objectAt(node, 'status', key)).flatMap(([name, value]) =>
    validateAmount(name, value as string, `status.${key}.${name}`),
  )
}

function validateRepeatedTaints(node: ApiObject): readonly StatusCause[] {
  const keys = listAt(node, 'spec', 'taints').map((taint) => `${stringAt(taint, 'key')}:${stringAt(taint, 'effect')}`)
  return listAt(node, 'spec', 'taints').flatMap((taint, i) => {
    if (keys.indexOf(keys[i] ?? '') === i) return []
    const shown = {
      Key: stringAt(taint, 'key'),
      Value: stringAt(taint, 'value'),
      Effect: stringAt(taint, 'effect'),
      TimeAdded: own(taint, 'timeAdded') ?? null,
    }
    const why = 'taints must be unique by key and effect pair'
    const { message, ...cause } = fieldError.duplicate(`metadata.taints[${i}]`, shown)
    return [{ ...cause, message: `${message}: ${why}` }]
  })
}

function validateTaint(taint: unknown, field: string): readonly StatusCause[] {
  const key = stringAt(taint, 'key')
  const value = stringAt(taint, 'value')
  const effect = stringAt(taint, 'effect')
  const effects = ['NoSchedule', 'PreferNoSchedule', 'NoExecute']
  return [
    ...qualifiedName(key).map((why) => fieldError.invalid(`${field}.key`, key, why)),
    ...labelValue(value).map((why) => fieldError.invalid(`${field}.value`, value, why)),
    ...(effects.includes(effect) ? [] : [fieldError.notSupported(`${field}.effect`, effect, effects)]),
  ]
}
