import type { Random } from '@berth/types'
import type { ApiObject } from '../../schema/json/api-object.ts'
import { isObject, listAt, objectAt, own, stringAt } from '../../schema/json/json-object.ts'
import { fieldError } from '../../schema/status/field-error.ts'
import type { Strategy } from '../kinds/strategy.ts'

/**
 * Write rules of Services: they get a random cluster IP from 10.96.0.0/16 unless they name one. Two Services can get
 * the same address.
 */
export const serviceStrategy: Strategy = {
  createsOnUpdate: true,
  defaults: (service) => ({
    ...service,
    spec: {
      sessionAffinity: 'None',
      type: 'ClusterIP',
      internalTrafficPolicy: 'Cluster',
      ...objectAt(service, 'spec'),
      ports: listAt(service, 'spec', 'ports').map(defaultPort),
    },
  }),
  prepareCreate(service, { random }) {
    const clusterIP = stringAt(service, 'spec', 'clusterIP') || randomClusterIp(random)
    const ipFamily = { ipFamilies: ['IPv4'], ipFamilyPolicy: 'SingleStack' }
    return {
      ...service,
      spec: { ...ipFamily, ...objectAt(service, 'spec'), clusterIP, clusterIPs: [clusterIP] },
      status: { loadBalancer: {} },
    }
  },
  validate: (service) =>
    needsPorts(service) && listAt(service, 'spec', 'ports').length === 0 ? [fieldError.required('spec.ports')] : [],
  returnsDeleted: true,
}

function defaultPort(port: unknown): object {
  return { protocol: 'TCP', targetPort: own(port, 'port'), ...(isObject(port) ? port : {}) }
}

function randomClusterIp(random: Random): string {
  return `10.96.${Math.floor(random() * 256)}.${1 + Math.floor(random() * 254)}`
}

function needsPorts(service: ApiObject): boolean {
  const isHeadless = stringAt(service, 'spec', 'clusterIP') === 'None'
  return !isHeadless && stringAt(service, 'spec', 'type') !== 'ExternalName'
}
