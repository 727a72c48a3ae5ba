import { expect, test } from 'vitest'
import { createTestServer } from '../../testing.ts'
import { cidrProblem, isStrictSubset } from '../validation/cidr-rules.ts'

const PATH = '/apis/networking.k8s.io/v1/namespaces/default/networkpolicies'

const create = (spec: object) => createTestServer().call('POST', PATH, { body: { metadata: { name: 'x' }, spec } })

test.for([
  { it: 'for a policy without a spec', spec: {}, expected: { podSelector: {}, policyTypes: ['Ingress'] } },
  {
    it: 'for a policy with egress rules',
    spec: { egress: [{}] },
    expected: { podSelector: {}, egress: [{}], policyTypes: ['Ingress', 'Egress'] },
  },
  {
    it: 'for ports without a protocol',
    spec: { podSelector: { matchLabels: { a: 'b' } }, ingress: [{ ports: [{ port: 80 }] }] },
    expected: {
      podSelector: { matchLabels: { a: 'b' } },
      ingress: [{ ports: [{ protocol: 'TCP', port: 80 }] }],
      policyTypes: ['Ingress'],
    },
  },
])('fills in defaults $it', async ({ spec, expected }) => {
  const { status, body } = await create(spec)
  expect([status, body.spec]).toEqual([201, expected])
  expect(body.metadata.generation).toBe(1)
})

const from = (...peers: readonly object[]): object => ({ ingress: [{ from: peers }] })
const port = (fields: object): object => ({ egress: [{ ports: [fields] }] })
const AT = 'spec.egress[0].ports[0]'

test.for([
  [{ podSelector: { matchLabels: { 'a b': '' } } }, 'spec.podSelector.matchLabels'],
  [port({ port: 0 }), `${AT}.port: Invalid value: 0: must be between 1 and 65535, inclusive`],
  [port({ port: 80, endPort: 79 }), `${AT}.endPort: Invalid value: 80: must be greater than or equal to \`port\``],
  [port({ port: 'web', endPort: 1 }), 'may not be specified when `port` is non-numeric'],
  [port({ endPort: 1 }), 'may not be specified when `port` is not specified'],
  [port({ port: '-1-' }), 'must contain at least one letter (a-z)'],
  [port({ port: 'a--b' }), 'must not contain consecutive hyphens'],
  [port({ port: 1, protocol: 'ICMP' }), 'Unsupported value: "ICMP": supported values: "TCP", "UDP", "SCTP"'],
  [from({}), 'spec.ingress[0].from[0]: Required value: must specify a peer'],
  [from({ ipBlock: {} }), 'spec.ingress[0].from[0].ipBlock.cidr: Required value'],
  [from({ ipBlock: { cidr: '10.0.0.0' } }), 'must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)'],
  [
    from({ podSelector: {}, ipBlock: { cidr: '10.0.0.0/8' } }),
    'spec.ingress[0].from[0]: Forbidden: may not specify both ipBlock and another peer',
  ],
  [
    from({ ipBlock: { cidr: '10.0.0.0/8', except: ['11.0.0.0/16'] } }),
    'ipBlock.except[0]: Invalid value: "11.0.0.0/16": must be a strict subset of `cidr`',
  ],
  [{ policyTypes: ['Ingress', 'Egress', 'Ingress'] }, 'may not specify more than two policyTypes'],
  [{ policyTypes: ['Both'] }, 'spec.policyTypes[0]: Unsupported value: "Both": supported values: "Ingress", "Egress"'],
] as const)('refuses %o: %s', async ([spec, message]) => {
  const { status, body } = await create(spec)
  expect([status, body.message]).toEqual([422, expect.stringContaining(message)])
})

test('increments the generation when the spec changes, and serves a table', async () => {
  const server = createTestServer()
  await server.call('POST', PATH, { body: { metadata: { name: 'x' }, spec: {} } })
  const patch = { body: { spec: { podSelector: { matchLabels: { app: 'web' } } } } }
  const contentType = 'application/merge-patch+json'
  expect((await server.call('PATCH', `${PATH}/x`, { ...patch, contentType })).body.metadata.generation).toBe(2)
  const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io'
  const { body } = await server.call('GET', PATH, { headers: { accept } })
  expect(body.columnDefinitions.map(({ name }: { readonly name: string }) => name)).toEqual([
    'Name',
    'Pod-Selector',
    'Age',
  ])
  expect(body.rows[0].cells.slice(0, 2)).toEqual(['x', 'app=web'])
})

test.for([
  ['10.9.8.0/24', undefined],
  ['2001:db8::/64', undefined],
  ['FE80:0abc:0:0:0:0:0:0/64', undefined],
  ['0.0.0.0/0', undefined],
  ['::/0', undefined],
  ['10.9.8.1/24', 'must not have bits set beyond the prefix length'],
  ['2001:db8::1/64', 'must not have bits set beyond the prefix length'],
  ['10.09.8.0/24', 'must not have leading 0s in IP or prefix length'],
  ['10.9.8.0/024', 'must not have leading 0s in IP or prefix length'],
  ['::ffff:10.9.8.0/120', 'must not have an IPv4-mapped IPv6 address'],
  ['10.9.8.0/33', 'must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)'],
  ['fe80::1%eth0/64', 'must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)'],
  ['', 'must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)'],
] as const)('cidrProblem(%s) returns %s', ([cidr, problem]) => {
  expect(cidrProblem(cidr)).toBe(problem)
})

test.for([
  ['10.0.1.0/24', '10.0.0.0/16', true],
  ['10.0.0.0/16', '10.0.0.0/16', false],
  ['10.0.0.0/8', '10.0.0.0/16', false],
  ['11.0.0.0/24', '10.0.0.0/16', false],
  ['2001:db8:1::/48', '2001:db8::/32', true],
  ['2001:db8:1::/48', '10.0.0.0/8', false],
  ['x', '10.0.0.0/8', undefined],
] as const)('isStrictSubset(%s, %s) is %s', ([inner, outer, expected]) => {
  expect(isStrictSubset(inner, outer)).toBe(expected)
})
