import { caseGroup, type CaseGroup, type Json, type SendOptions, type CaseSession } from '../runner/conformance-case.ts'
import { node, pod } from '../manifests/manifests.ts'
import { containers, initChange, resized, shown, SMALL, withInit } from '../manifests/pod-resizes.ts'
import { allowOn, limits, quota } from '../manifests/pod-surroundings.ts'

/** Asks for a size of a pod that is bound to a node of the exchange's own, once admission has heard of the node. */
async function resizedOn(
  session: CaseSession,
  labels: object,
  changes: readonly object[],
  spec: object = {},
): Promise<void> {
  const { at, name, post, patch, until } = session
  const size = { cpu: '1', memory: '1Gi', pods: '10' }
  const { metadata, ...rest } = node(name, size) as Json
  const own = { ...rest, metadata: { ...metadata, labels }, status: { capacity: size, allocatable: size } }
  await post('/api/v1/nodes', own, { isQuiet: true })
  await post(at('pods'), pod(name, { requests: SMALL.requests }, { nodeName: name, ...spec }), { isQuiet: true })
  const path = at('pods', name, 'resize')
  const probe = containers({ requests: { cpu: '101m' } })
  for (let tries = 0; tries < 200; tries++) {
    const { body } = await patch('strategic', `${path}?dryRun=All`, probe, { isQuiet: true })
    if (!String(body.message).includes('not found')) break
    let asked = 0
    await until(at('pods', name), () => asked++ > 1, { isQuiet: true })
  }
  for (const change of changes) {
    await patch('strategic', path, change, {
      show: ({ metadata, spec }) => [metadata.generation, spec.containers[0].resources],
    })
  }
}

/** pods/resize: who may ask, and what node, limit ranges and quotas leave. */
export const fitting: CaseGroup = caseGroup('fit', {
  'node-missing': resized(containers({ requests: { cpu: '150m' } }), { nodeName: 'exchanges-no-such-node' }),
  'node-too-small': (session) =>
    resizedOn(
      session,
      {},
      [{ cpu: '2' }, { memory: '2Gi' }, { cpu: '1001m', memory: '1025Mi' }, { cpu: '1' }].map((requests) =>
        containers({ requests }),
      ),
    ),
  'node-of-another-system': (session) =>
    resizedOn(session, { 'kubernetes.io/os': 'plan9' }, [containers({ requests: { cpu: '2' } }), { metadata: {} }]),
  'node-that-declares-nothing': (session) =>
    resizedOn(
      session,
      {},
      [initChange({ requests: { cpu: '150m' } }), { spec: { resources: { requests: { cpu: '1' } } } }],
      withInit(),
    ),
  // Limit ranges and quotas are remembered for a moment after they went: what follows them fits into them.
  'limit-range-gives-defaults': async (session) => {
    const { at, name, post, patch } = session
    await post(at('pods'), pod(name, { requests: { cpu: '100m' } }), { isQuiet: true })
    await limits(session, { type: 'Container', default: { cpu: '500m', memory: '1Gi' } }, pod('probe'))
    await patch('strategic', at('pods', name, 'resize'), containers({ requests: { cpu: '150m' } }), { show: shown })
  },
  'needs-a-right-of-its-own': async (session) => {
    const { at, name, post, get, patch } = session
    await post(at('pods'), pod(name, SMALL), { isQuiet: true })
    const change = containers({ requests: { cpu: '150m' } })
    const asOf = (options: SendOptions): SendOptions => ({ ...options, show: shown })
    const pods = await allowOn(session, 'pods')
    await patch('strategic', at('pods', name, 'resize'), change, asOf(pods))
    await get(at('pods', name, 'resize'), asOf(pods))
    const resize = await allowOn(session, 'pods/resize')
    await patch('strategic', at('pods', name, 'resize'), change, asOf(resize))
    await patch('strategic', at('pods', name), change, asOf(resize))
  },
  'limit-range': async (session) => {
    const { at, name, post, patch } = session
    await post(at('pods'), pod(name, SMALL), { isQuiet: true })
    const limit = { type: 'Container', max: { cpu: '500m', memory: '1Gi' }, min: { cpu: '10m' } }
    await limits(session, limit, pod('probe'))
    const path = at('pods', name, 'resize')
    await patch('strategic', path, containers({ limits: { cpu: '1' } }))
    await patch('strategic', path, containers({ requests: { cpu: '5m' } }))
    await patch('strategic', path, containers({ limits: { cpu: '500m' } }), { show: shown })
  },
  quota: async (session) => {
    const { at, name, post, patch, until } = session
    const path = await quota(session, { 'requests.cpu': '300m', 'limits.memory': '1Gi' })
    await post(at('pods'), pod(name, SMALL), { isQuiet: true })
    const isCounted = (cpu: string): Promise<unknown> =>
      until(path, ({ body }) => body.status?.used?.['requests.cpu'] === cpu, { show: ({ status }) => status })
    await isCounted('100m')
    await patch(
      'strategic',
      at('pods', name, 'resize'),
      containers({ limits: { cpu: '500m' }, requests: { cpu: '450m' } }),
    )
    await patch('strategic', at('pods', name, 'resize'), containers({ requests: { cpu: '200m' } }), { show: shown })
    await isCounted('200m')
    await patch('strategic', at('pods', name, 'resize'), containers({ requests: { cpu: '50m' } }), { show: shown })
  },
})
