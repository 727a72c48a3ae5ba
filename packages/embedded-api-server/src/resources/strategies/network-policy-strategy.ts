import { isObject, listAt, numberAt, objectAt, own, stringAt } from '../../schema/json/json-object.ts'
import type { StatusCause } from '../../schema/status/status-error.ts'
import { fieldError } from '../../schema/status/field-error.ts'
import { cidrProblem, isStrictSubset } from '../validation/cidr-rules.ts'
import { validateLabelSelector } from '../validation/validate-label-selector.ts'
import { portName } from '../../schema/name-rules.ts'
import type { Strategy } from '../kinds/strategy.ts'

/** The directions of a policy, each with the field of its rules and the field of the rules' peers. */
const DIRECTIONS = [
  { type: 'Ingress', rules: 'ingress', peers: 'from' },
  { type: 'Egress', rules: 'egress', peers: 'to' },
] as const
const TYPES: readonly string[] = DIRECTIONS.map(({ type }) => type)
const PROTOCOLS: readonly string[] = ['TCP', 'UDP', 'SCTP']

/**
 * Write rules of NetworkPolicies. The embedded cluster stores them, but has no pod network to enforce them.
 *
 * @see kubernetes pkg/apis/networking/v1/defaults.go, pkg/apis/networking/validation ValidateNetworkPolicySpec (v1.36)
 */
export const networkPolicyStrategy: Strategy = {
  defaults(policy) {
    const spec = objectAt(policy, 'spec')
    const types = listAt(spec, 'policyTypes')
    const implied = listAt(spec, 'egress').length === 0 ? ['Ingress'] : ['Ingress', 'Egress']
    const rules = DIRECTIONS.flatMap(({ rules: name }) =>
      own(spec, name) === undefined ? [] : [[name, listAt(spec, name).map(withProtocols)] as const],
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
  validate(policy, old) {
    const spec = objectAt(policy, 'spec')
    const known = new Set(old === undefined ? [] : cidrsOf(objectAt(old, 'spec')))
    return [
      ...validateLabelSelector(own(spec, 'podSelector'), 'spec.podSelector'),
      ...DIRECTIONS.flatMap(({ rules, peers }) =>
        listAt(spec, rules).flatMap((rule, i) => {
          const path = `spec.${rules}[${i}]`
          return [
            ...listAt(rule, 'ports').flatMap((port, n) => validatePort(port, `${path}.ports[${n}]`)),
            ...listAt(rule, peers).flatMap((peer, n) => validatePeer(peer, `${path}.${peers}[${n}]`, known)),
          ]
        }),
      ),
      ...validateTypes(listAt(spec, 'policyTypes')),
    ]
  },
}

function withProtocols(rule: unknown): unknown {
  if (!isObject(rule) || own(rule, 'ports') === undefined) return rule
  return { ...rule, ports: listAt(rule, 'ports').map((port) => ({ protocol: 'TCP', ...(isObject(port) ? port : {}) })) }
}

function validatePort(port: unknown, path: string): readonly StatusCause[] {
  const protocol = stringAt(port, 'protocol')
  const causes = PROTOCOLS.includes(protocol) ? [] : [fieldError.notSupported(`${path}.protocol`, protocol, PROTOCOLS)]
  const number = own(port, 'port')
  const end = numberAt(port, 'endPort')
  if (typeof number === 'number') {
    causes.push(...validatePortNumber(number, `${path}.port`))
    if (end !== undefined) {
      if (end < number) {
        causes.push(fieldError.invalid(`${path}.endPort`, number, 'must be greater than or equal to `port`'))
      }
      causes.push(...validatePortNumber(end, `${path}.endPort`))
    }
    return causes
  }
  if (end !== undefined) {
    const why = `may not be specified when \`port\` is ${number === undefined ? 'not specified' : 'non-numeric'}`
    causes.push(fieldError.invalid(`${path}.endPort`, end, why))
  }
  if (typeof number === 'string') {
    causes.push(...portName(number).map((why) => fieldError.invalid(`${path}.port`, number, why)))
  }
  return causes
}

function validatePortNumber(number: number, path: string): readonly StatusCause[] {
  return number >= 1 && number <= 65_535
    ? []
    : [fieldError.invalid(path, number, 'must be between 1 and 65535, inclusive')]
}

function validatePeer(peer: unknown, path: string, known: ReadonlySet<string>): readonly StatusCause[] {
  const selectors = ['podSelector', 'namespaceSelector'].filter((name) => own(peer, name) !== undefined)
  const causes = selectors.flatMap((name) => validateLabelSelector(own(peer, name), `${path}.${name}`))
  const block = own(peer, 'ipBlock')
  if (block === undefined) {
    return selectors.length === 0 ? [...causes, fieldError.required(path, 'must specify a peer')] : causes
  }
  const both = fieldError.forbidden(path, 'may not specify both ipBlock and another peer')
  return [...causes, ...validateBlock(block, `${path}.ipBlock`, known), ...(selectors.length === 0 ? [] : [both])]
}

// CIDRs of the old policy may stay even if they are not valid.
function validateBlock(block: unknown, path: string, known: ReadonlySet<string>): readonly StatusCause[] {
  const validate = (field: string, cidr: string): readonly StatusCause[] => {
    const problem = known.has(cidr) ? undefined : cidrProblem(cidr)
    return problem === undefined ? [] : [fieldError.invalid(field, cidr, problem)]
  }
  const cidr = stringAt(block, 'cidr')
  if (cidr === '') return [fieldError.required(`${path}.cidr`)]
  return [
    ...validate(`${path}.cidr`, cidr),
    ...listAt(block, 'except').flatMap((each, i) => {
      const field = `${path}.except[${i}]`
      const except = String(each)
      const isOutside = isStrictSubset(except, cidr) === false
      const outside = fieldError.invalid(field, except, 'must be a strict subset of `cidr`')
      return [...validate(field, except), ...(isOutside ? [outside] : [])]
    }),
  ]
}

function cidrsOf(spec: unknown): readonly string[] {
  return DIRECTIONS.flatMap(({ rules, peers }) =>
    listAt(spec, rules).flatMap((rule) =>
      listAt(rule, peers).flatMap((peer) => [
        stringAt(peer, 'ipBlock', 'cidr'),
        ...listAt(peer, 'ipBlock', 'except').map(String),
      ]),
    ),
  )
}

function validateTypes(types: readonly unknown[]): readonly StatusCause[] {
  if (types.length > TYPES.length) {
    return [fieldError.invalid('spec.policyTypes', types, 'may not specify more than two policyTypes')]
  }
  return types.flatMap((type, i) =>
    TYPES.includes(String(type)) ? [] : [fieldError.notSupported(`spec.policyTypes[${i}]`, type, TYPES)],
  )
}
