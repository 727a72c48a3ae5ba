import type { ApiObject } from '../../schema/json/api-object.ts'
import { listAt, own, objectAt, stringAt } from '../../schema/json/json-object.ts'
import { ageColumn, nameColumn, textColumn, wide } from './basic-columns.ts'
import type { Column } from './column.ts'

const ROLE_PREFIX = 'node-role.kubernetes.io/'

/**
 * The table columns of nodes.
 *
 * @see kubernetes pkg/printers/internalversion/printers.go printNode (v1.36)
 */
export const nodeColumns: readonly Column[] = [
  nameColumn,
  { name: 'Status', description: 'Whether the kubelet is ready and the node accepts new pods.', cell: statusText },
  { name: 'Roles', description: 'Roles of the node, from its labels.', cell: rolesText },
  ageColumn,
  { ...textColumn('Version', 'status.nodeInfo.kubeletVersion'), description: 'Version of the kubelet.' },
  { name: 'Internal-IP', priority: 1, cell: (node) => addressOf(node, 'InternalIP') },
  { name: 'External-IP', priority: 1, cell: (node) => addressOf(node, 'ExternalIP') },
  wide(textColumn('OS-Image', 'status.nodeInfo.osImage', '<unknown>')),
  wide(textColumn('Kernel-Version', 'status.nodeInfo.kernelVersion', '<unknown>')),
  wide(textColumn('Container-Runtime', 'status.nodeInfo.containerRuntimeVersion', '<unknown>')),
]

function statusText(node: ApiObject): string {
  const ready = listAt(node, 'status', 'conditions').find((condition) => stringAt(condition, 'type') === 'Ready')
  const text = ready === undefined ? 'Unknown' : stringAt(ready, 'status') === 'True' ? 'Ready' : 'NotReady'
  return own(objectAt(node, 'spec'), 'unschedulable') === true ? `${text},SchedulingDisabled` : text
}

function rolesText(node: ApiObject): string {
  const roles = Object.entries(node.metadata.labels ?? {}).flatMap(([key, value]) => {
    if (key.startsWith(ROLE_PREFIX)) return [key.slice(ROLE_PREFIX.length)]
    return key === 'kubernetes.io/role' && value !== '' ? [value] : []
  })
  return roles.length === 0 ? '<none>' : [...new Set(roles)].sort().join(',')
}

function addressOf(node: ApiObject, type: string): string {
  const found = listAt(node, 'status', 'addresses').find((address) => stringAt(address, 'type') === type)
  return stringAt(found, 'address') || '<none>'
}
