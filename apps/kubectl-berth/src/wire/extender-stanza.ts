/** The extender that {@link extenderStanza} describes. */
export interface WiringOptions {
  readonly url: string
  /** Directory of ca.crt, tls.crt and tls.key as kube-scheduler sees it. */
  readonly tlsDir: string
  readonly serverName: string | undefined
  /** Resources that kube-scheduler counts as well. */
  readonly resources: readonly string[]
  /** Resources that only the extender counts. */
  readonly ignored: readonly string[]
  readonly hasBind: boolean
}

/**
 * Returns one entry of `extenders` in a KubeSchedulerConfiguration (kubescheduler.config.k8s.io/v1). It sends node names,
 * and pods wait while the extender is down.
 */
export function extenderStanza(options: WiringOptions): Readonly<Record<string, unknown>> {
  const { url, tlsDir, serverName, resources, ignored, hasBind } = options
  const tlsConfig = {
    ...(serverName !== undefined && { serverName }),
    caFile: `${tlsDir}/ca.crt`,
    certFile: `${tlsDir}/tls.crt`,
    keyFile: `${tlsDir}/tls.key`,
  }
  const managedResources = [
    ...resources.map((name) => ({ name, ignoredByScheduler: false })),
    ...ignored.map((name) => ({ name, ignoredByScheduler: true })),
  ]
  return {
    urlPrefix: url,
    ...(url.startsWith('https:') && { enableHTTPS: true, tlsConfig }),
    filterVerb: 'filter',
    prioritizeVerb: 'prioritize',
    preemptVerb: 'preempt',
    ...(hasBind && { bindVerb: 'bind' }),
    weight: 1,
    nodeCacheCapable: true,
    ignorable: false,
    httpTimeout: '2s',
    ...(managedResources.length > 0 && { managedResources }),
  }
}

/** Returns a KubeSchedulerConfiguration with this extender. */
export function schedulerConfiguration(options: WiringOptions, kubeconfig?: string): Readonly<Record<string, unknown>> {
  return {
    apiVersion: 'kubescheduler.config.k8s.io/v1',
    kind: 'KubeSchedulerConfiguration',
    ...(kubeconfig !== undefined && { clientConnection: { kubeconfig } }),
    extenders: [extenderStanza(options)],
  }
}
