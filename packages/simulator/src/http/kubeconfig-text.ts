/** The address and credentials of a simulated cluster. */
export interface KubeconfigParts {
  readonly url: string
  /** PEM. */
  readonly ca: string
  readonly token: string
}

/** Returns a kubeconfig with one context, `berth`, as JSON, which is valid YAML. */
export function kubeconfigText({ url, ca, token }: KubeconfigParts): string {
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [
      { name: 'berth', cluster: { server: url, 'certificate-authority-data': Buffer.from(ca).toString('base64') } },
    ],
    users: [{ name: 'berth-admin', user: { token } }],
    contexts: [{ name: 'berth', context: { cluster: 'berth', user: 'berth-admin' } }],
    'current-context': 'berth',
  }
  return `${JSON.stringify(config, undefined, 2)}\n`
}
