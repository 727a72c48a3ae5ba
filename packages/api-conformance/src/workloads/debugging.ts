import { caseGroup, type CaseGroup, type Json, type CaseSession } from '../runner/conformance-case.ts'
import { pod } from '../manifests/manifests.ts'
import { userWithAccessTo, createQuota, createSecuredNamespace } from '../manifests/pod-surroundings.ts'

const IMAGE = 'registry.k8s.io/pause:3.10'
const DEBUGGER = { name: 'look', image: IMAGE }
const debuggers = (...ephemeralContainers: readonly object[]): object => ({ spec: { ephemeralContainers } })
const shown = ({ metadata, spec, status }: Json): unknown => ({
  generation: metadata.generation,
  labels: metadata.labels,
  images: spec.containers.map(({ image }: Json) => image),
  ephemeralContainers: spec.ephemeralContainers,
  status,
})

/** Returns a case that creates a pod, and then adds these containers to it. */
const addsContainers =
  (...added: readonly object[]) =>
  async ({ at, name, post, patch }: CaseSession): Promise<void> => {
    await post(at('pods'), pod(name), { isQuiet: true })
    await patch('strategic', at('pods', name, 'ephemeralcontainers'), debuggers(...added), { show: shown })
  }

/** pods/ephemeralcontainers: containers that are added to an existing pod. */
export const debugging: CaseGroup = caseGroup('debug', {
  get: async ({ at, name, post, get }) => {
    await post(at('pods'), pod(name), { isQuiet: true })
    await get(at('pods', name, 'ephemeralcontainers'))
  },
  strategic: async (session) => {
    const { at, name, patch, get } = session
    await addsContainers(DEBUGGER)(session)
    const path = at('pods', name, 'ephemeralcontainers')
    await patch('strategic', path, debuggers(DEBUGGER), { show: shown })
    const more = { name: 'more', image: 'tool', command: ['sh'], stdin: true, tty: true, targetContainerName: 'main' }
    await patch('strategic', path, debuggers(more), { show: shown })
    await get(at('pods', name))
  },
  'json-patch': async ({ at, name, post, patch }) => {
    await post(at('pods'), pod(name), { isQuiet: true })
    const add = { op: 'add', path: '/spec/ephemeralContainers', value: [DEBUGGER] }
    await patch('json', at('pods', name, 'ephemeralcontainers'), [add], { show: shown })
  },
  'put-changes-nothing-else': async ({ at, name, post, put }) => {
    const { body } = await post(at('pods'), pod(name), { isQuiet: true })
    const [container] = body.spec.containers
    await put(
      at('pods', name, 'ephemeralcontainers'),
      {
        ...body,
        metadata: { ...body.metadata, labels: { a: 'b' } },
        spec: { ...body.spec, containers: [{ ...container, image: 'other:1' }], ephemeralContainers: [DEBUGGER] },
        status: { phase: 'Failed' },
      },
      { show: shown },
    )
  },
  apply: async ({ at, name, post, patch, get }) => {
    await post(at('pods'), pod(name), { isQuiet: true })
    const config = { apiVersion: 'v1', kind: 'Pod', metadata: { name, labels: { a: 'b' } }, ...debuggers(DEBUGGER) }
    await patch('apply', `${at('pods', name, 'ephemeralcontainers')}?fieldManager=looker`, config, { show: shown })
    await get(at('pods', name), { show: ({ metadata }) => metadata.managedFields })
  },
  defaults: addsContainers({
    ...DEBUGGER,
    image: 'tool:latest',
    env: [{ name: 'A', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }],
    securityContext: { capabilities: { add: ['SYS_PTRACE'] } },
  }),
  'changes-one-that-is-there': async (session) => {
    await addsContainers(DEBUGGER)(session)
    const changed = debuggers({ ...DEBUGGER, image: 'other' })
    await session.patch('strategic', session.at('pods', session.name, 'ephemeralcontainers'), changed)
  },
  'removes-one-that-is-there': async (session) => {
    await addsContainers(DEBUGGER)(session)
    const remove = { op: 'remove', path: '/spec/ephemeralContainers' }
    await session.patch('json', session.at('pods', session.name, 'ephemeralcontainers'), [remove])
  },
  'of-the-main-resource': async (session) => {
    const { at, name, post, patch } = session
    await addsContainers(DEBUGGER)(session)
    await patch('strategic', at('pods', name), debuggers({ ...DEBUGGER, name: 'more' }))
    await post(at('pods'), pod(`${name}-2`, {}, { ephemeralContainers: [DEBUGGER] }))
  },
  'of-a-template': async ({ at, name, post }) => {
    const { spec } = pod(name, {}, { ephemeralContainers: [DEBUGGER] }) as Json
    const labels = { app: name }
    const template = { metadata: { labels }, spec }
    await post(at('apps/v1/replicasets'), {
      metadata: { name },
      spec: { replicas: 0, selector: { matchLabels: labels }, template },
    })
  },
  'name-of-a-container': addsContainers({ ...DEBUGGER, name: 'main' }),
  'name-twice': async ({ at, name, post, patch }) => {
    await post(at('pods'), pod(name), { isQuiet: true })
    const add = { op: 'add', path: '/spec/ephemeralContainers', value: [DEBUGGER, DEBUGGER] }
    await patch('json', at('pods', name, 'ephemeralcontainers'), [add])
  },
  'bad-name-and-no-image': addsContainers({ name: 'Look_Here' }),
  'no-name': async ({ at, name, post, patch }) => {
    await post(at('pods'), pod(name), { isQuiet: true })
    const add = { op: 'add', path: '/spec/ephemeralContainers', value: [{ image: IMAGE }] }
    await patch('json', at('pods', name, 'ephemeralcontainers'), [add])
  },
  'target-missing': addsContainers({ ...DEBUGGER, targetContainerName: 'nobody' }),
  'target-is-ephemeral': addsContainers(DEBUGGER, { ...DEBUGGER, name: 'more', targetContainerName: 'look' }),
  'fields-of-services': addsContainers({
    ...DEBUGGER,
    ports: [{ containerPort: 80 }],
    livenessProbe: { exec: { command: ['true'] } },
    readinessProbe: { exec: { command: ['true'] } },
    startupProbe: { exec: { command: ['true'] } },
    lifecycle: { preStop: { exec: { command: ['true'] } } },
  }),
  'fields-of-resources': addsContainers({
    ...DEBUGGER,
    resources: { limits: { cpu: '1' } },
    resizePolicy: [{ resourceName: 'cpu', restartPolicy: 'NotRequired' }],
    restartPolicy: 'Always',
  }),
  mounts: async ({ at, name, post, patch }) => {
    await post(at('pods'), pod(name, {}, { volumes: [{ name: 'v', emptyDir: {} }] }), { isQuiet: true })
    const path = at('pods', name, 'ephemeralcontainers')
    const mounting = (mount: object): object =>
      debuggers({ ...DEBUGGER, volumeMounts: [{ mountPath: '/v', ...mount }] })
    await patch('strategic', path, mounting({ name: 'w' }))
    await patch('strategic', path, mounting({ name: 'v', subPath: 'a' }))
    await patch('strategic', path, mounting({ name: 'v', subPathExpr: 'a' }))
    await patch('strategic', path, mounting({ name: 'v' }), { show: shown })
  },
  'static-pod': async ({ at, name, post, patch }) => {
    const spec = { nodeName: 'exchanges-no-such-node', automountServiceAccountToken: false }
    const annotations = { 'kubernetes.io/config.mirror': 'x' }
    await post(at('pods'), pod(name, {}, spec, { annotations }), { isQuiet: true })
    await patch('strategic', at('pods', name, 'ephemeralcontainers'), debuggers(DEBUGGER))
  },
  'dry-run': async ({ at, name, post, patch, get }) => {
    await post(at('pods'), pod(name), { isQuiet: true })
    await patch('strategic', `${at('pods', name, 'ephemeralcontainers')}?dryRun=All`, debuggers(DEBUGGER), {
      show: shown,
    })
    await get(at('pods', name), { show: shown })
  },
  stale: async ({ at, name, post, patch }) => {
    await post(at('pods'), pod(name), { isQuiet: true })
    const change = { metadata: { resourceVersion: '1' }, ...debuggers(DEBUGGER) }
    await patch('strategic', at('pods', name, 'ephemeralcontainers'), change)
  },
  missing: async ({ at, name, get, put, patch }) => {
    const path = at('pods', name, 'ephemeralcontainers')
    await get(path)
    await put(path, pod(name))
    await patch('strategic', path, debuggers(DEBUGGER))
  },
  methods: async ({ at, name, post, send }) => {
    await post(at('pods'), pod(name), { isQuiet: true })
    await send('POST', at('pods', name, 'ephemeralcontainers'), {})
    await send('DELETE', at('pods', name, 'ephemeralcontainers'))
  },
  'needs-a-right-of-its-own': async (session) => {
    const { at, name, post, patch } = session
    await post(at('pods'), pod(name), { isQuiet: true })
    const path = at('pods', name, 'ephemeralcontainers')
    await patch('strategic', path, debuggers(DEBUGGER), await userWithAccessTo(session, 'pods'))
    const allowed = await userWithAccessTo(session, 'pods/ephemeralcontainers')
    await patch('strategic', path, debuggers(DEBUGGER), { ...allowed, show: shown })
  },
  'pod-security': async (session) => {
    const pods = await createSecuredNamespace(session, { enforce: 'baseline', warn: 'restricted' })
    const { name, post, patch } = session
    await post(pods, pod(name), { isQuiet: true })
    const path = `${pods}/${name}/ephemeralcontainers`
    const strong = { ...DEBUGGER, securityContext: { privileged: true } }
    await patch('strategic', path, debuggers(strong))
    await patch('strategic', path, debuggers(DEBUGGER), { show: shown })
    await patch('strategic', `${pods}/${name}/resize`, { metadata: { labels: { a: 'b' } } }, { show: shown })
  },
  'counts-for-no-quota': async (session) => {
    const { at, name, post, patch } = session
    await post(at('pods'), pod(name), { isQuiet: true })
    await createQuota(session, { 'requests.cpu': '0', pods: '0' })
    await patch('strategic', at('pods', name, 'ephemeralcontainers'), debuggers(DEBUGGER), { show: shown })
  },
})
