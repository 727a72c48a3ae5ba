import { caseGroup, type CaseGroup, type Json, type SendOptions, type CaseSession } from '../runner/conformance-case.ts'
import { node, pod } from '../manifests/manifests.ts'
import { containerResources, initChange, resizePod, shown, SMALL, withInit } from '../manifests/pod-resizes.ts'
import { userWithAccessTo, createLimitRange, createQuota } from '../manifests/pod-surroundings.ts'

/** Resizes a pod that is bound to the case's own node, once admission knows the node. */
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
  const probe = containerResources({ requests: { cpu: '101m' } })
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

/** pods/resize: permissions, and the limits of node, limit ranges and quotas. */
export const fitting: CaseGroup = caseGroup('fit', {
  'node-missing': resizePod(containerResources({ requests: { cpu: '150m' } }), { nodeName: 'exchanges-no-such-node' }),
  'node-too-small': (session) =>
    resizedOn(
      session,
      {},
      [{ cpu: '2' }, { memory: '2Gi' }, { cpu: '1001m', memory: '1025Mi' }, { cpu: '1' }].map((requests) =>
        containerResources({ requests }),
      ),
    ),
  'node-of-another-system': (session) =>
    resizedOn(session, { 'kubernetes.io/os': 'plan9' }, [
      containerResources({ requests: { cpu: '2' } }),
      { metadata: {} },
    ]),
  'node-that-declares-nothing': (session) =>
    resizedOn(
      session,
      {},
      [initChange({ requests: { cpu: '150m' } }), { spec: { resources: { requests: { cpu: '1' } } } }],
      withInit(),
    ),
  // The server remembers deleted limit ranges and quotas for a moment, so later cases stay within them.
  'limit-range-gives-defaults': async (session) => {
    const { at, name, post, patch } = session
    await post(at('pods'), pod(name, { requests: { cpu: '100m' } }), { isQuiet: true })
    await createLimitRange(session, { type: 'Container', default: { cpu: '500m', memory: '1Gi' } }, pod('probe'))
    await patch('strategic', at('pods', name, 'resize'), containerResources({ requests: { cpu: '150m' } }), {
      show: shown,
    })
  },
  'needs-a-right-of-its-own': async (session) => {
    const { at, name, post, get, patch } = session
    await post(at('pods'), pod(name, SMALL), { isQuiet: true })
    const change = containerResources({ requests: { cpu: '150m' } })
    const asOf = (options: SendOptions): SendOptions => ({ ...options, show: shown })
    const pods = await userWithAccessTo(session, 'pods')
    await patch('strategic', at('pods', name, 'resize'), change, asOf(pods))
    await get(at('pods', name, 'resize'), asOf(pods))
    const resize = await userWithAccessTo(session, 'pods/resize')
    await patch('strategic', at('pods', name, 'resize'), change, asOf(resize))
    await patch('strategic', at('pods', name), change, asOf(resize))
  },
  'limit-range': async (session) => {
    const { at, name, post, patch } = session
    await post(at('pods'), pod(name, SMALL), { isQuiet: true })
    const limit = { type: 'Container', max: { cpu: '500m', memory: '1Gi' }, min: { cpu: '10m' } }
    await createLimitRange(session, limit, pod('probe'))
    const path = at('pods', name, 'resize')
    await patch('strategic', path, containerResources({ limits: { cpu: '1' } }))
    await patch('strategic', path, containerResources({ requests: { cpu: '5m' } }))
    await patch('strategic', path, containerResources({ limits: { cpu: '500m' } }), { show: shown })
  },
  quota: async (session) => {
    const { at, name, post, patch, until } = session
    const path = await createQuota(session, { 'requests.cpu': '300m', 'limits.memory': '1Gi' })
    await post(at('pods'), pod(name, SMALL), { isQuiet: true })
    const isCounted = (cpu: string): Promise<unknown> =>
      until(path, ({ body }) => body.status?.used?.['requests.cpu'] === cpu, { show: ({ status }) => status })
    await isCounted('100m')
    await patch(
      'strategic',
      at('pods', name, 'resize'),
      containerResources({ limits: { cpu: '500m' }, requests: { cpu: '450m' } }),
    )
    await patch('strategic', at('pods', name, 'resize'), containerResources({ requests: { cpu: '200m' } }), {
      show: shown,
    })
    await isCounted('200m')
    await patch('strategic', at('pods', name, 'resize'), containerResources({ requests: { cpu: '50m' } }), {
      show: shown,
    })
  },
})
