import type { ApiObject } from '../../schema/json/api-object.ts'
import { listAt, objectAt, stringAt, valueAt } from '../../schema/json/json-object.ts'
import { named, textColumn } from './basic-columns.ts'
import type { Column } from './column.ts'
import { selectorText } from './workload-columns.ts'

/** Number of hosts that a cell shows. */
const MAX_HOSTS = 3

/** Columns of networking kinds, by the name of their collection. */
export const networkColumns: Readonly<Record<string, readonly Column[]>> = {
  'networking.k8s.io/ingresses': named(
    textColumn('Class', 'spec.ingressClassName', '<none>'),
    { name: 'Hosts', cell: hostsText },
    { name: 'Address', cell: addressText },
    { name: 'Ports', cell: (each) => (listAt(each, 'spec', 'tls').length === 0 ? '80' : '80, 443') },
  ),
  'networking.k8s.io/ingressclasses': named(textColumn('Controller', 'spec.controller'), {
    name: 'Parameters',
    cell: parametersText,
  }),
  'networking.k8s.io/networkpolicies': named({
    name: 'Pod-Selector',
    cell: (each) => selectorText(valueAt(each, 'spec', 'podSelector')),
  }),
}

function hostsText(ingress: ApiObject): string {
  const hosts = listAt(ingress, 'spec', 'rules').flatMap((rule) => stringAt(rule, 'host') || [])
  if (hosts.length === 0) return '*'
  const shown = hosts.slice(0, MAX_HOSTS).join(',')
  return hosts.length > MAX_HOSTS ? `${shown} + ${hosts.length - MAX_HOSTS} more...` : shown
}

function addressText(ingress: ApiObject): string {
  return listAt(ingress, 'status', 'loadBalancer', 'ingress')
    .map((each) => stringAt(each, 'ip') || stringAt(each, 'hostname'))
    .join(',')
}

function parametersText(ingressClass: ApiObject): string {
  const parameters = objectAt(ingressClass, 'spec', 'parameters')
  const type = [stringAt(parameters, 'kind'), stringAt(parameters, 'apiGroup')].filter((part) => part !== '')
  return type.length === 0 ? '<none>' : `${type.join('.')}/${stringAt(parameters, 'name')}`
}
