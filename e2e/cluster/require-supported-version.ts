import { CannotRunError } from './cannot-run.ts'

/**
 * Refuses a cluster that is older than the chart supports.
 *
 * @param gitVersion - Version from the API server, for example `v1.36.3` or `v1.33.4-gke.100`.
 * @param range - `kubeVersion` of the chart, for example `>=1.34.0-0`.
 * @throws CannotRunError with both versions, or if a version or range has another format.
 */
export function requireSupportedVersion(gitVersion: string, range: string): void {
  const [, major, minor] = /^v?(\d+)\.(\d+)\./.exec(gitVersion) ?? []
  const [, leastMajor, leastMinor] = /^>=\s*v?(\d+)\.(\d+)/.exec(range) ?? []
  if (major === undefined || leastMajor === undefined)
    throw new CannotRunError(`compare the cluster’s version ${gitVersion} with ${range}: not understood`)
  const have = Number(major) * 1_000 + Number(minor)
  if (have < Number(leastMajor) * 1_000 + Number(leastMinor))
    throw new CannotRunError(
      `The cluster runs Kubernetes ${gitVersion}; Berth supports ${leastMajor}.${leastMinor} and newer. Upgrade the cluster, or test another one.`,
    )
}
