import type { WebhookConfiguration } from '../../facts/fact-kinds.ts'
import { calledServerState } from '../model/servers.ts'
import { survey } from '../model/survey.ts'

/** The admission webhooks, each with its rules and whether the API server can call it. */
export const webhooks = survey({
  kind: 'webhooks',
  title: 'Admission webhooks',
  needs: ['mutatingWebhooks', 'validatingWebhooks', 'endpointSlices'],
  find({ mutatingWebhooks, validatingWebhooks, endpointSlices }, context) {
    const entries = [
      ...mutatingWebhooks.map((configuration) => ({ kind: 'MutatingWebhookConfiguration', configuration })),
      ...validatingWebhooks.map((configuration) => ({ kind: 'ValidatingWebhookConfiguration', configuration })),
    ]
    return entries.flatMap(({ kind, configuration }) =>
      (configuration.webhooks ?? []).map((webhook) => {
        const { health, evidence } = calledServerState(webhook.clientConfig, endpointSlices, context)
        const usedBy = rulesOf(webhook)
        const isStrict = webhook.failurePolicy !== 'Ignore'
        return {
          name: webhook.name,
          use: usedBy.length > 0 ? ('used' as const) : ('unused' as const),
          usedBy,
          health,
          evidence: [
            `${kind} ${configuration.metadata.name ?? ''}, failure policy ${webhook.failurePolicy ?? 'Fail'}.`,
            ...evidence,
            ...(health === 'unhealthy' && isStrict ? ['Until it answers, the API server refuses these requests.'] : []),
          ],
        }
      }),
    )
  },
})

/** Returns the requests that a webhook sees: `CREATE of pods`. */
function rulesOf({ rules = [] }: NonNullable<WebhookConfiguration['webhooks']>[number]): readonly string[] {
  return rules
    .map(({ operations = [], resources = [] }) => `${operations.join('/')} of ${resources.join(', ')}`)
    .toSorted()
}
