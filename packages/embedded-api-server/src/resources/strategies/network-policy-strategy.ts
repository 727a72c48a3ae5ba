import { isObject, listAt, objectAt, own } from '../../schema/json/json-object.ts'
import type { Strategy } from '../kinds/strategy.ts'

/**
 * Write rules of NetworkPolicies: defaults. The embedded cluster stores policies, but has no pod network to enforce them,
 * so their rules are not validated.
 *
 * @see kubernetes pkg/apis/networking/v1/defaults.go (v1.36)
 */
export const networkPolicyStrategy: Strategy = {
  defaults(policy) {
    const spec = objectAt(policy, 'spec')
    const types = listAt(spec, 'policyTypes')
    const implied = listAt(spec, 'egress').length === 0 ? ['Ingress'] : ['Ingress', 'Egress']
    const rules = ['ingress', 'egress'].flatMap((direction) =>
      own(spec, direction) === undefined ? [] : [[direction, listAt(spec, direction).map(withProtocols)] as const],
    )
    return {
      ...policy,
      spec: {
        podSelector: {},
        ...spec,
        ...Object.fromEntries(rules),
        policyTypes: types.length === 0 ? implied : types,
      },
    }
  },
}

function withProtocols(rule: unknown): unknown {
  if (!isObject(rule) || own(rule, 'ports') === undefined) return rule
  return { ...rule, ports: listAt(rule, 'ports').map((port) => ({ protocol: 'TCP', ...(isObject(port) ? port : {}) })) }
}
