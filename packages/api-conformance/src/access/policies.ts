import { independentCaseGroup, type CaseGroup, type Json, type CaseSession } from '../runner/conformance-case.ts'
import { createDefinition, gadget } from '../manifests/definitions.ts'
import { configMap } from '../manifests/manifests.ts'

const REGISTRATION = '/apis/admissionregistration.k8s.io/v1'

/** Creates a policy and its binding for labelled config maps of the case's namespace, and waits until they are in effect. */
async function policy(session: CaseSession, spec: Json, bindingSpec: object = {}): Promise<void> {
  const { name, namespace, post, at, send } = session
  const resourceRules = [
    { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE', 'UPDATE', 'DELETE'], resources: ['configmaps'] },
  ]
  const namespaceSelector = { matchLabels: { 'kubernetes.io/metadata.name': namespace } }
  const objectSelector = { matchLabels: { [`example.com/${name}`]: 'true' } }
  const base = 'admissionregistration.k8s.io/v1'
  // The policy's own validation shows when it is in effect.
  const probe = { expression: "!has(object.data) || !('probe' in object.data)", message: 'in force' }
  const { validations = [], ...rest } = spec
  await post(
    `${REGISTRATION}/validatingadmissionpolicies`,
    {
      apiVersion: base,
      kind: 'ValidatingAdmissionPolicy',
      metadata: { name },
      spec: {
        matchConstraints: { resourceRules, namespaceSelector, objectSelector },
        ...rest,
        validations: [probe, ...validations],
      },
    },
    { isQuiet: true },
  )
  await post(
    `${REGISTRATION}/validatingadmissionpolicybindings`,
    {
      apiVersion: base,
      kind: 'ValidatingAdmissionPolicyBinding',
      metadata: { name },
      spec: { policyName: name, validationActions: ['Deny'], ...bindingSpec },
    },
    { isQuiet: true },
  )
  const body = JSON.stringify(marked(session, { probe: 'x' }, 'probe'))
  let isInForce = false
  for (let tries = 0; tries < 200 && !isInForce; tries++) {
    const { body: answer, warning } = await send('POST', `${at('configmaps')}?dryRun=All`, body, { isQuiet: true })
    isInForce = `${warning}${JSON.stringify(answer)}`.includes('in force')
    let asked = 0
    if (!isInForce) await session.until(at('configmaps'), () => asked++ > 1, { isQuiet: true })
  }
  if (!isInForce) throw new Error(`the policy ${name} does not take effect`)
}

const marked = (
  { name }: Pick<CaseSession, 'name'>,
  data: Readonly<Record<string, string>>,
  called: string = name,
): object => configMap(called, data, { labels: { [`example.com/${name}`]: 'true' } })

/** Returns a case that creates a config map under a policy with this spec. */
const createsUnderPolicy =
  (spec: object, data: Readonly<Record<string, string>>, bindingSpec: object = {}) =>
  async (session: CaseSession): Promise<void> => {
    await policy(session, spec, bindingSpec)
    await session.post(session.at('configmaps'), marked(session, data), { show: ({ data: sent }) => sent })
  }

/** ValidatingAdmissionPolicies. */
export const policies: CaseGroup = independentCaseGroup('policy', {
  'with-defaults': async ({ name, post }) => {
    const resourceRules = [
      { apiGroups: ['none.example.com'], apiVersions: ['v1'], operations: ['CREATE'], resources: ['nothing'] },
    ]
    await post(`${REGISTRATION}/validatingadmissionpolicies`, {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingAdmissionPolicy',
      metadata: { name },
      spec: { matchConstraints: { resourceRules }, validations: [{ expression: 'true' }] },
    })
    await post(`${REGISTRATION}/validatingadmissionpolicybindings`, {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingAdmissionPolicyBinding',
      metadata: { name },
      spec: { policyName: name, validationActions: ['Deny'], matchResources: {} },
    })
  },
  'without-validations': ({ name, post }) =>
    post(`${REGISTRATION}/validatingadmissionpolicies`, {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingAdmissionPolicy',
      metadata: { name },
      spec: {
        matchConstraints: {
          resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] }],
        },
      },
    }),
  'lets-through': createsUnderPolicy({ validations: [{ expression: "object.data.a == '1'" }] }, { a: '1' }),
  denies: createsUnderPolicy({ validations: [{ expression: "object.data.a == '1'" }] }, { a: '2' }),
  'has-a-message': createsUnderPolicy(
    { validations: [{ expression: 'false', message: 'never', reason: 'Forbidden' }] },
    {},
  ),
  'has-a-message-expression': createsUnderPolicy(
    { validations: [{ expression: 'false', messageExpression: "'not ' + object.metadata.name" }] },
    {},
  ),
  'with-variables': createsUnderPolicy(
    {
      variables: [{ name: 'a', expression: "object.data.a + 'x'" }],
      validations: [{ expression: "variables.a == '1x'", message: 'no' }],
    },
    { a: '2' },
  ),
  'with-condition': createsUnderPolicy(
    {
      // Only dry-run requests, like the probe.
      matchConditions: [{ name: 'a', expression: 'request.dryRun' }],
      validations: [{ expression: 'false' }],
    },
    { a: '2' },
  ),
  fails: createsUnderPolicy({ validations: [{ expression: "object.data.none == '1'" }] }, { a: '1' }),
  'fails-and-is-ignored': createsUnderPolicy(
    { failurePolicy: 'Ignore', validations: [{ expression: "object.data.none == '1'" }] },
    { a: '1' },
  ),
  warns: createsUnderPolicy(
    { validations: [{ expression: 'false', message: 'careful' }] },
    {},
    { validationActions: ['Warn'] },
  ),
  'about-a-change': async (session) => {
    await policy(session, {
      validations: [
        { expression: "request.operation != 'UPDATE' || object.data.a == oldObject.data.a", message: 'a stays' },
      ],
    })
    await session.post(session.at('configmaps'), marked(session, { a: '1' }), { isQuiet: true })
    await session.patch('merge', session.at('configmaps', session.name), { data: { a: '2' } })
    await session.patch(
      'merge',
      session.at('configmaps', session.name),
      { data: { b: '2' } },
      { show: ({ data }) => data },
    )
  },
  'about-deletion': async (session) => {
    await policy(session, {
      validations: [{ expression: "request.operation != 'DELETE' || has(oldObject.data.free)", message: 'it stays' }],
    })
    await session.post(session.at('configmaps'), marked(session, { a: '1' }), { isQuiet: true })
    await session.delete(session.at('configmaps', session.name))
    await session.patch('merge', session.at('configmaps', session.name), { data: { free: 'x' } }, { isQuiet: true })
    await session.delete(session.at('configmaps', session.name), undefined, { show: ({ status }) => status })
  },
  'with-parameters': async (session) => {
    const { at, name, namespace, post } = session
    // A kind of this run only: a server that stopped watching a parameter kind does not watch it again.
    const own = { ...session, name: namespace }
    const { gadgets } = await createDefinition(own)
    await post(gadgets, gadget(own, { code: 'bb' }), { isQuiet: true })
    await policy(
      session,
      {
        paramKind: { apiVersion: `${namespace}.example.com/v1`, kind: 'Gadget' },
        validations: [{ expression: '!has(object.data.a) || object.data.a <= params.spec.code', message: 'too much' }],
      },
      { paramRef: { name: own.name, namespace, parameterNotFoundAction: 'Deny' } },
    )
    await post(at('configmaps'), marked(session, { a: 'cc' }))
    await post(at('configmaps'), marked(session, { a: 'aa' }), { show: ({ data }) => data })
    await post(at('configmaps'), marked(session, { b: name }, `${name}-2`), { show: ({ data }) => data })
  },
  'about-the-namespace': createsUnderPolicy(
    { validations: [{ expression: 'namespaceObject.metadata.name != request.namespace', message: 'no' }] },
    {},
  ),
})
