import { CannotRunError } from './cannot-run.ts'
import { kubernetesVersion } from './kubernetes-version.ts'

/** The flags of `npm run e2e`. */
export interface RunFlags {
  readonly keep: boolean
  readonly reuse: boolean
  readonly provider: string
  readonly 'node-image'?: string | undefined
  readonly kubernetes?: string | undefined
  readonly kubeconfig?: string | undefined
  readonly image?: string | undefined
}

/** The cluster to test and the source of its apps. */
export type RunPlan =
  | {
      readonly provider: 'kind'
      readonly isKept: boolean
      readonly isReused: boolean
      /** Undefined: kind's own image, or one that is built on this machine. */
      readonly nodeImage: string | undefined
      /** Minor version of Kubernetes, for example `1.34`. */
      readonly kubernetes: string
    }
  | { readonly provider: 'existing'; readonly kubeconfig: string; readonly image: string }

/** A folder of scenarios that a plan excludes, with the reason. */
export interface ExcludedScenarios {
  readonly folder: string
  readonly reason: string
}

/**
 * Validates the flags and returns the plan.
 *
 * @throws CannotRunError for flags that contradict each other or lack another.
 */
export function planRun(flags: RunFlags): RunPlan {
  const { provider, keep, reuse, kubeconfig, image, 'node-image': nodeImage, kubernetes } = flags
  if (provider === 'kind') {
    if (kubeconfig !== undefined || image !== undefined)
      throw new CannotRunError('--kubeconfig and --image are for an existing cluster: add --provider existing')
    return { provider, isKept: keep, isReused: reuse, nodeImage, kubernetes: kubernetesVersion(kubernetes).minor }
  }
  if (provider !== 'existing') throw new CannotRunError(`--provider ${provider}: known providers are kind and existing`)
  const kindOnly = [
    keep && '--keep',
    reuse && '--reuse',
    nodeImage !== undefined && '--node-image',
    kubernetes !== undefined && '--kubernetes',
  ].filter(Boolean)
  if (kindOnly.length > 0) throw new CannotRunError(`${kindOnly.join(', ')}: only valid with --provider kind`)
  if (kubeconfig === undefined) throw new CannotRunError('--provider existing: name the cluster with --kubeconfig FILE')
  if (image === undefined)
    throw new CannotRunError(
      '--provider existing: name an image that its nodes can pull with --image REPOSITORY:TAG; npm run image builds one to push',
    )
  return { provider, kubeconfig, image }
}

/**
 * Returns the folders of `e2e/scenarios` that a run leaves out: those that the plan's cluster cannot run, and the slow ones
 * unless they are wanted. The log lists them.
 */
export function excludedScenarios(
  plan: RunPlan,
  { isSlowWanted }: { readonly isSlowWanted: boolean },
): readonly ExcludedScenarios[] {
  const slow = isSlowWanted
    ? []
    : [{ folder: 'slow', reason: 'they take several minutes each: set BERTH_E2E_SLOW=1 to run them' }]
  if (plan.provider === 'kind') return slow
  return [
    {
      folder: 'nodes',
      reason:
        'they restart kubelets, read directories inside the containers of kind nodes, load images onto them, and compare answers with recordings of one Kubernetes version',
    },
    { folder: 'api-server', reason: 'they test the API of one Kubernetes version and need its programs built here' },
    { folder: 'slow', reason: 'they stop processes on kind nodes and read the audit log of the API server' },
  ]
}
