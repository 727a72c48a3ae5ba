/** The cluster, image and programs that `e2e/run.ts` passes to the scenarios. */
export interface TestEnvironment {
  readonly kubeconfig: string
  /** Path of Helm 4. */
  readonly helm: string
  /** Image with all apps. The nodes have it or can pull it. */
  readonly image: string
  /** `docker` or `podman`. Used only with {@link nodeContainers}. */
  readonly engine: string
  /** Path of the kind program. Empty unless the cluster is a kind cluster. */
  readonly kind: string
  /** Containers of the cluster's nodes, sorted. Empty unless the cluster is a kind cluster. */
  readonly nodeContainers: readonly string[]
  /** Whether images are built on this machine because none can be pulled. False unless the cluster is a kind cluster. */
  readonly isOffline: boolean
}

const VARIABLE = 'BERTH_E2E_ENVIRONMENT'

/** Returns the variables that pass a test environment to the scenarios. */
export function environmentVariables(environment: TestEnvironment): Readonly<Record<string, string>> {
  return { [VARIABLE]: JSON.stringify(environment) }
}

/**
 * Returns the test environment of this run.
 *
 * @throws Error outside of `npm run e2e`.
 */
export function testEnvironment(): TestEnvironment {
  const text = process.env[VARIABLE]
  if (text === undefined) throw new Error(`${VARIABLE} is not set; run: npm run e2e`)
  return JSON.parse(text) as TestEnvironment
}
