import { exchangeGroup, type ExchangeGroup, type Json, type Talk } from '../exchange.ts'
import { configMap } from '../manifests.ts'

const REGISTRATION = '/apis/admissionregistration.k8s.io/v1'

/** A configuration with one webhook for config maps of the exchange's namespace; nobody listens at its URL. */
function configuration({ name, namespace }: Talk, kind: string, more: object = {}): object {
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

const marked = ({ name }: Talk, data: Readonly<Record<string, string>> = { a: '1' }): object =>
  configMap(name, data, { labels: { [`example.com/${name}`]: 'true' } })

/** Registers a webhook that must be asked, and waits until the server does ask. */
async function inForce(talk: Talk, kind: string, more: object = {}): Promise<void> {
  const plural = `${kind.toLowerCase()}s`
  await talk.post(`${REGISTRATION}/${plural}`, configuration(talk, kind, more), { isQuiet: true })
  let isAsked = false
  for (let tries = 0; tries < 200 && !isAsked; tries++) {
    const body = marked(talk, { asked: 'yes' })
    const { status } = await talk.post(`${talk.at('configmaps')}?dryRun=All`, body, { isQuiet: true })
    isAsked = status === 500
    let waited = 0
    if (!isAsked) await talk.until(talk.at('configmaps'), () => waited++ > 1, { isQuiet: true })
  }
}

const shownData = ({ data }: Json): unknown => data

/** Admission webhooks as far as they can be seen from outside: configurations, and what happens when nobody answers. */
export const webhooks: ExchangeGroup = exchangeGroup('webhook', {
  'validating-defaults': async (talk) => {
    await talk.post(
      `${REGISTRATION}/validatingwebhookconfigurations`,
      configuration(talk, 'ValidatingWebhookConfiguration'),
    )
  },
  'mutating-defaults': async (talk) => {
    await talk.post(
      `${REGISTRATION}/mutatingwebhookconfigurations`,
      configuration(talk, 'MutatingWebhookConfiguration'),
    )
  },
  'wrong-side-effects': async (talk) => {
    const path = `${REGISTRATION}/validatingwebhookconfigurations`
    await talk.post(path, configuration(talk, 'ValidatingWebhookConfiguration', { sideEffects: 'Some' }))
  },
  'too-long-a-timeout': async (talk) => {
    const path = `${REGISTRATION}/validatingwebhookconfigurations`
    await talk.post(path, configuration(talk, 'ValidatingWebhookConfiguration', { timeoutSeconds: 31 }))
  },
  'validating-does-not-answer': async (talk) => {
    await inForce(talk, 'ValidatingWebhookConfiguration')
    await talk.post(talk.at('configmaps'), marked(talk))
    await talk.post(talk.at('configmaps'), configMap(`${talk.name}-free`), { show: shownData })
  },
  'mutating-does-not-answer': async (talk) => {
    await inForce(talk, 'MutatingWebhookConfiguration')
    await talk.post(talk.at('configmaps'), marked(talk))
  },
  'condition-leaves-out': async (talk) => {
    const matchConditions = [{ name: 'asked', expression: "'asked' in object.data" }]
    await inForce(talk, 'ValidatingWebhookConfiguration', { matchConditions })
    await talk.post(talk.at('configmaps'), marked(talk), { show: shownData })
  },
  'failure-is-ignored': async (talk) => {
    await inForce(talk, 'ValidatingWebhookConfiguration')
    const patch = [{ op: 'replace', path: '/webhooks/0/failurePolicy', value: 'Ignore' }]
    await talk.patch('json', `${REGISTRATION}/validatingwebhookconfigurations/${talk.name}`, patch, { isQuiet: true })
    let status = 500
    for (let tries = 0; tries < 200 && status === 500; tries++) {
      ;({ status } = await talk.post(`${talk.at('configmaps')}?dryRun=All`, marked(talk), { isQuiet: true }))
      let waited = 0
      if (status === 500) await talk.until(talk.at('configmaps'), () => waited++ > 1, { isQuiet: true })
    }
    await talk.post(talk.at('configmaps'), marked(talk), { show: shownData })
  },
})
