import { caseGroup, type CaseGroup, type Json } from '../runner/conformance-case.ts'
import { pod } from '../manifests/manifests.ts'
import { containerResources, IMAGE, initChange, resizePod, shown, SMALL, withInit } from '../manifests/pod-resizes.ts'

/** pods/resize: the allowed changes of an existing pod's resources. */
export const resizing: CaseGroup = caseGroup('resize', {
  get: async ({ at, name, post, get }) => {
    await post(at('pods'), pod(name, SMALL), { isQuiet: true })
    await get(at('pods', name, 'resize'))
  },
  strategic: async (session) => {
    const change = containerResources({ requests: { cpu: '150m' }, limits: { memory: '256Mi' } })
    await resizePod(change)(session)
    await session.patch('strategic', session.at('pods', session.name, 'resize'), change, { show: shown })
    await session.get(session.at('pods', session.name))
  },
  'json-patch': async ({ at, name, post, patch }) => {
    await post(at('pods'), pod(name, SMALL), { isQuiet: true })
    const path = '/spec/containers/0/resources/limits/cpu'
    await patch('json', at('pods', name, 'resize'), [{ op: 'replace', path, value: '2' }], { show: shown })
  },
  'merge-patch-of-names-and-resources': async ({ at, name, post, patch }) => {
    await post(at('pods'), pod(name, SMALL), { isQuiet: true })
    const change = containerResources({ requests: { cpu: '1', memory: '64Mi' }, limits: { cpu: '1', memory: '128Mi' } })
    await patch('merge', at('pods', name, 'resize'), change, { show: shown })
  },
  'put-changes-nothing-else': async ({ at, name, post, put }) => {
    const { body } = await post(at('pods'), pod(name, SMALL), { isQuiet: true })
    const [container] = body.spec.containers
    const resources = { ...container.resources, requests: { cpu: '50m', memory: '32Mi' } }
    await put(
      at('pods', name, 'resize'),
      {
        ...body,
        metadata: { ...body.metadata, labels: { a: 'b' } },
        spec: { ...body.spec, priority: 7, containers: [{ ...container, image: 'other:1', resources }] },
        status: { phase: 'Failed' },
      },
      { show: shown },
    )
  },
  apply: async ({ at, name, post, patch, get }) => {
    await post(at('pods'), pod(name, SMALL), { isQuiet: true })
    const config = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name },
      ...containerResources({ requests: { cpu: '150m' }, limits: { cpu: '300m' } }),
    }
    await patch('apply', `${at('pods', name, 'resize')}?fieldManager=sizer`, config)
    await patch('apply', `${at('pods', name, 'resize')}?fieldManager=sizer&force=true`, config, { show: shown })
    await get(at('pods', name), { show: ({ metadata }) => metadata.managedFields })
  },
  'owners-of-what-was-resized': async (session) => {
    await resizePod(containerResources({ limits: { cpu: '300m' } }))(session)
    await session.get(session.at('pods', session.name), { show: ({ metadata }) => metadata.managedFields })
  },
  'of-the-main-resource': async ({ at, name, post, patch }) => {
    await post(at('pods'), pod(name, SMALL), { isQuiet: true })
    await patch('strategic', at('pods', name), containerResources({ requests: { cpu: '150m' } }))
  },
  'to-another-class': resizePod(containerResources({ requests: SMALL.limits })),
  'of-best-effort': resizePod(containerResources({ requests: { cpu: '1' } }), {}, {}),
  'of-guaranteed': resizePod(
    containerResources({ requests: { cpu: '1' }, limits: { cpu: '1' } }),
    {},
    { limits: { cpu: '500m', memory: '1Gi' } },
  ),
  'adds-what-was-not-limited': resizePod(
    containerResources({ requests: { memory: '32Mi' }, limits: { cpu: '1' } }),
    {},
    { requests: { cpu: '100m' } },
  ),
  'takes-request-away': resizePod(
    containerResources({ requests: { cpu: null } }),
    {},
    { requests: { cpu: '1', memory: '1Gi' }, limits: {} },
  ),
  'takes-limit-away': resizePod(containerResources({ limits: { memory: null } })),
  'takes-everything-away': async ({ at, name, post, patch }) => {
    await post(at('pods'), pod(name, SMALL), { isQuiet: true })
    await patch('json', at('pods', name, 'resize'), [{ op: 'remove', path: '/spec/containers/0/resources' }])
  },
  'request-above-limit': resizePod(containerResources({ requests: { cpu: '1' } })),
  negative: resizePod(containerResources({ requests: { memory: '-1' } })),
  'no-quantity': resizePod(containerResources({ requests: { memory: 'much' } })),
  'other-resources': resizePod(containerResources({ requests: { 'ephemeral-storage': '1Gi' } })),
  'extended-resources': async (session) => {
    const dongle = { 'example.com/dongle': 1 }
    await resizePod(
      containerResources({ requests: { 'example.com/dongle': 2 }, limits: { 'example.com/dongle': 2 } }),
      {},
      { requests: dongle, limits: dongle },
    )(session)
  },
  'several-mistakes': resizePod(
    containerResources({ requests: { cpu: '1', 'ephemeral-storage': '1Gi' }, limits: { memory: null } }),
  ),
  'adds-container': async ({ at, name, post, patch }) => {
    await post(at('pods'), pod(name, SMALL), { isQuiet: true })
    const added = { name: 'other', image: IMAGE, resources: {} }
    await patch('json', at('pods', name, 'resize'), [{ op: 'add', path: '/spec/containers/-', value: added }])
  },
  'adds-init-container': async ({ at, name, post, patch }) => {
    await post(at('pods'), pod(name, SMALL), { isQuiet: true })
    await patch('strategic', at('pods', name, 'resize'), { spec: withInit() })
  },
  'renames-container': async ({ at, name, post, patch }) => {
    await post(at('pods'), pod(name, SMALL), { isQuiet: true })
    await patch('json', at('pods', name, 'resize'), [{ op: 'replace', path: '/spec/containers/0/name', value: 'b' }])
  },
  'puts-containers-in-another-order': async ({ at, name, post, put }) => {
    const two = ['a', 'b'].map((each) => ({ name: each, image: IMAGE, resources: SMALL }))
    const { body } = await post(at('pods'), pod(name, {}, { containers: two }), { isQuiet: true })
    const turned = { ...body, spec: { ...body.spec, containers: body.spec.containers.toReversed() } }
    await put(at('pods', name, 'resize'), turned)
  },
  'resize-policy': async (session) => {
    const policy = (restartPolicy: string): object => ({
      spec: { containers: [{ name: 'main', resizePolicy: [{ resourceName: 'cpu', restartPolicy }] }] },
    })
    await resizePod(policy('RestartContainer'))(session)
    await session.patch('strategic', session.at('pods', session.name, 'resize'), policy('Sometimes'))
  },
  'policy-of-a-new-pod': async ({ at, name, post }) => {
    const create = (called: string, resizePolicy: readonly object[], more: object = {}): Promise<unknown> =>
      post(
        at('pods'),
        pod(called, {}, { containers: [{ name: 'main', image: IMAGE, resources: SMALL, resizePolicy }], ...more }),
        { show: shown },
      )
    const cpu = (restartPolicy: string): object => ({ resourceName: 'cpu', restartPolicy })
    await create(name, [cpu('RestartContainer'), { resourceName: 'memory', restartPolicy: 'NotRequired' }])
    await create(`${name}-2`, [cpu('NotRequired'), cpu('NotRequired')])
    await create(`${name}-3`, [{ resourceName: 'example.com/dongle', restartPolicy: 'Sometimes' }])
    await create(`${name}-4`, [cpu('RestartContainer')], { restartPolicy: 'Never' })
    await create(`${name}-5`, [{ resourceName: '', restartPolicy: '' }])
  },
  'init-container': resizePod(initChange({ requests: { cpu: '150m' } }), withInit()),
  sidecar: resizePod(initChange({ limits: { memory: '1Gi' } }), withInit({ restartPolicy: 'Always' })),
  'init-container-other-resources': resizePod(
    initChange({ limits: { 'ephemeral-storage': '1Gi' } }),
    withInit({ restartPolicy: 'Always' }),
  ),
  'init-container-loses-limit': resizePod(initChange({ limits: { cpu: null } }), withInit()),
  'pod-level': resizePod({ spec: { resources: { requests: { cpu: '300m' } } } }, { resources: SMALL }),
  'pod-level-within-limits': resizePod({ spec: { resources: { requests: { cpu: '150m' } } } }, { resources: SMALL }),
  'pod-level-other-resources': resizePod(
    { spec: { resources: { requests: { 'hugepages-2Mi': '2Mi' }, limits: { 'hugepages-2Mi': '2Mi' } } } },
    { resources: SMALL },
  ),
  'pod-level-appears': resizePod({ spec: { resources: { requests: { cpu: '1' }, limits: { cpu: '2' } } } }),
  'pod-level-goes': resizePod({ spec: { resources: null } }, { resources: SMALL }),
  'pod-level-loses-limit': resizePod({ spec: { resources: { limits: { cpu: null } } } }, { resources: SMALL }),
  'static-pod': resizePod(
    containerResources({ requests: { cpu: '150m' } }),
    { nodeName: 'exchanges-no-such-node', serviceAccountName: undefined, automountServiceAccountToken: false },
    SMALL,
    { annotations: { 'kubernetes.io/config.mirror': 'x' } },
  ),
  'windows-pod': resizePod(containerResources({ requests: { cpu: '150m' } }), { os: { name: 'windows' } }),
  'node-that-cannot': async ({ at, name, post, patch }) => {
    await post(at('pods'), pod(name, SMALL), { isQuiet: true })
    const state = { running: { startedAt: '2020-01-01T00:00:00Z' } }
    const status = { name: 'main', image: IMAGE, imageID: IMAGE, ready: true, restartCount: 0, state }
    const tell = (resources: object): Promise<unknown> =>
      patch(
        'merge',
        at('pods', name, 'status'),
        { status: { containerStatuses: [{ ...status, ...resources }] } },
        { isQuiet: true },
      )
    await tell({})
    await patch('strategic', at('pods', name, 'resize'), containerResources({ requests: { cpu: '150m' } }))
    await tell({ resources: SMALL })
    await patch('strategic', at('pods', name, 'resize'), containerResources({ requests: { cpu: '150m' } }), {
      show: shown,
    })
  },
  'observed-generation': async (session) => {
    const { at, name, patch } = session
    const show = ({ metadata, status }: Json): unknown => [metadata.generation, status]
    await resizePod(containerResources({ requests: { cpu: '150m' } }))(session)
    await patch('merge', at('pods', name, 'status'), { status: { observedGeneration: 2 } }, { show })
    await patch('strategic', at('pods', name, 'resize'), containerResources({ requests: { cpu: '160m' } }), { show })
    await patch('merge', at('pods', name, 'status'), { status: { observedGeneration: null, reason: 'X' } }, { show })
  },
  'dry-run': async ({ at, name, post, patch, get }) => {
    await post(at('pods'), pod(name, SMALL), { isQuiet: true })
    await patch(
      'strategic',
      `${at('pods', name, 'resize')}?dryRun=All`,
      containerResources({ requests: { cpu: '150m' } }),
      {
        show: shown,
      },
    )
    await get(at('pods', name), { show: shown })
  },
  stale: async ({ at, name, post, put }) => {
    const { body } = await post(at('pods'), pod(name, SMALL), { isQuiet: true })
    await put(at('pods', name, 'resize'), { ...body, metadata: { ...body.metadata, resourceVersion: '1' } })
  },
  missing: async ({ at, name, get, put, patch }) => {
    await get(at('pods', name, 'resize'))
    await put(at('pods', name, 'resize'), pod(name, SMALL))
    await patch('strategic', at('pods', name, 'resize'), containerResources(SMALL))
    await patch('apply', `${at('pods', name, 'resize')}?fieldManager=sizer`, pod(name, SMALL))
  },
  methods: async ({ at, name, post, send }) => {
    await post(at('pods'), pod(name, SMALL), { isQuiet: true })
    await send('POST', at('pods', name, 'resize'), {})
    await send('DELETE', at('pods', name, 'resize'))
  },
})
