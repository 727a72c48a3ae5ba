import { caseGroup, type CaseGroup, type Json, type CaseSession } from '../runner/conformance-case.ts'
import { configMap } from '../manifests/manifests.ts'

const REGISTRATION = '/apis/admissionregistration.k8s.io/v1'

/** Returns a configuration with one webhook for config maps of the case's namespace. Its URL refuses connections. */
function configuration({ name, namespace }: CaseSession, kind: string, more: object = {}): object {
  return {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind,
    metadata: { name },
    webhooks: [
      {
        name: `${name}.example.com`,
        clientConfig: { url: 'https://127.0.0.1:1/judge' },
        rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] }],
        namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } },
        objectSelector: { matchLabels: { [`example.com/${name}`]: 'true' } },
        sideEffects: 'None',
        admissionReviewVersions: ['v1'],
        ...more,
      },
    ],
  }
}

const marked = ({ name }: CaseSession, data: Readonly<Record<string, string>> = { a: '1' }): object =>
  configMap(name, data, { labels: { [`example.com/${name}`]: 'true' } })

/** Registers a webhook with failurePolicy Fail, and waits until the server calls it: each call fails with 500. */
async function registerWebhook(session: CaseSession, kind: string, more: object = {}): Promise<void> {
  const plural = `${kind.toLowerCase()}s`
  await session.post(`${REGISTRATION}/${plural}`, configuration(session, kind, more), { isQuiet: true })
  let isCalled = false
  for (let tries = 0; tries < 200 && !isCalled; tries++) {
    const body = marked(session, { asked: 'yes' })
    const { status } = await session.post(`${session.at('configmaps')}?dryRun=All`, body, { isQuiet: true })
    isCalled = status === 500
    let waited = 0
    if (!isCalled) await session.until(session.at('configmaps'), () => waited++ > 1, { isQuiet: true })
  }
}

const shownData = ({ data }: Json): unknown => data

/** Admission webhooks without a webhook server: configurations, and failed calls. */
export const webhooks: CaseGroup = caseGroup('webhook', {
  'validating-defaults': (session) =>
    session.post(
      `${REGISTRATION}/validatingwebhookconfigurations`,
      configuration(session, 'ValidatingWebhookConfiguration'),
    ),
  'mutating-defaults': (session) =>
    session.post(
      `${REGISTRATION}/mutatingwebhookconfigurations`,
      configuration(session, 'MutatingWebhookConfiguration'),
    ),
  'wrong-side-effects': async (session) => {
    const path = `${REGISTRATION}/validatingwebhookconfigurations`
    await session.post(path, configuration(session, 'ValidatingWebhookConfiguration', { sideEffects: 'Some' }))
  },
  'too-long-a-timeout': async (session) => {
    const path = `${REGISTRATION}/validatingwebhookconfigurations`
    await session.post(path, configuration(session, 'ValidatingWebhookConfiguration', { timeoutSeconds: 31 }))
  },
  'validating-does-not-answer': async (session) => {
    await registerWebhook(session, 'ValidatingWebhookConfiguration')
    await session.post(session.at('configmaps'), marked(session))
    await session.post(session.at('configmaps'), configMap(`${session.name}-free`), { show: shownData })
  },
  'mutating-does-not-answer': async (session) => {
    await registerWebhook(session, 'MutatingWebhookConfiguration')
    await session.post(session.at('configmaps'), marked(session))
  },
  'condition-leaves-out': async (session) => {
    const matchConditions = [{ name: 'asked', expression: "'asked' in object.data" }]
    await registerWebhook(session, 'ValidatingWebhookConfiguration', { matchConditions })
    await session.post(session.at('configmaps'), marked(session), { show: shownData })
  },
  'failure-is-ignored': async (session) => {
    await registerWebhook(session, 'ValidatingWebhookConfiguration')
    const patch = [{ op: 'replace', path: '/webhooks/0/failurePolicy', value: 'Ignore' }]
    await session.patch('json', `${REGISTRATION}/validatingwebhookconfigurations/${session.name}`, patch, {
      isQuiet: true,
    })
    let status = 500
    for (let tries = 0; tries < 200 && status === 500; tries++) {
      ;({ status } = await session.post(`${session.at('configmaps')}?dryRun=All`, marked(session), { isQuiet: true }))
      let waited = 0
      if (status === 500) await session.until(session.at('configmaps'), () => waited++ > 1, { isQuiet: true })
    }
    await session.post(session.at('configmaps'), marked(session), { show: shownData })
  },
})
