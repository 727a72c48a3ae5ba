/** JSON schema keywords that zod cannot express. They are added to a zod schema with `.meta(…)`. */
export type SchemaRule = Readonly<Record<string, unknown>>

const isTrue = { const: true }
const notEmpty = { minLength: 1 }
const has = (key: string, value: SchemaRule): SchemaRule => ({ properties: { [key]: value } })
const rule = (condition: SchemaRule, consequence: SchemaRule): SchemaRule => ({
  if: condition,
  // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON schema
  then: consequence,
})

/** Labels that the chart sets on its objects. Users cannot override them. */
const ownLabels = [
  'helm.sh/chart',
  ...['name', 'instance', 'component', 'version', 'part-of', 'managed-by'].map((key) => `app.kubernetes.io/${key}`),
]

/** Refuses labels that the chart sets itself. */
export const noOwnLabels: SchemaRule = { properties: Object.fromEntries(ownLabels.map((label) => [label, false])) }

/** With `mode: existing`, both Secrets need a name. */
export const namesExistingSecrets: SchemaRule = rule(has('mode', { const: 'existing' }), {
  properties: { serverSecretName: notEmpty, clientSecretName: notEmpty },
})

/**
 * An enabled extender has exactly one caller: the kube-scheduler beside it or, through the Service, another one. The
 * first cannot serve default-scheduler, which is the name of the cluster's own kube-scheduler.
 */
export const hasOneCaller: SchemaRule = rule(has('enabled', isTrue), {
  if: has('kubeScheduler', has('enabled', isTrue)),
  // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON schema
  then: {
    properties: {
      schedulerName: { not: { const: 'default-scheduler' } },
      service: has('enabled', { const: false }),
    },
  },
  else: has('service', has('enabled', isTrue)),
})

/** Apps with pods, by their key in values.yaml. */
const apps = ['devicePlugin', 'extender', 'scheduler', 'advertiser', 'eviction']

/** Rules that concern several apps. */
export const acrossApps: SchemaRule = {
  allOf: [
    // The kube-scheduler of a managed control plane cannot be configured to call a Service.
    rule(
      { properties: { managedControlPlane: isTrue, extender: has('enabled', isTrue) } },
      has('extender', has('service', has('enabled', { const: false }))),
    ),
    // A PodMonitor needs network policies that let Prometheus in.
    rule(
      {
        properties: {
          podMonitor: has('enabled', isTrue),
          extender: { properties: { enabled: isTrue, tls: has('mode', { const: 'authority' }) } },
          authority: has('networkPolicy', has('enabled', isTrue)),
        },
      },
      has('authority', has('networkPolicy', has('from', { minItems: 1 }))),
    ),
    ...apps.map((app) =>
      rule(
        {
          properties: {
            podMonitor: has('enabled', isTrue),
            [app]: { properties: { enabled: isTrue, networkPolicy: has('enabled', isTrue) } },
          },
        },
        has(app, has('networkPolicy', has('from', { minItems: 1 }))),
      ),
    ),
  ],
}
