import { CannotRunError } from './cannot-run.ts'

/** What the command line of `npm run e2e` says. */
export interface RunFlags {
  readonly keep: boolean
  readonly reuse: boolean
  readonly provider: string
  readonly 'node-image'?: string | undefined
  readonly kubeconfig?: string | undefined
  readonly image?: string | undefined
}

/** Which cluster is tested, and where its apps come from. */
export type RunPlan =
  | {
      readonly provider: 'kind'
      readonly isKept: boolean
      readonly isReused: boolean
      /** Undefined: whichever is at hand. */
      readonly nodeImage: string | undefined
    }
  | { readonly provider: 'existing'; readonly kubeconfig: string; readonly image: string }

/** Scenarios that a plan leaves out, with the reason. */
export interface LeftOut {
  readonly folder: string
  readonly why: string
}

/**
 * Makes sense of the flags.
 *
 * @throws CannotRunError for flags that contradict each other or lack another.
 */
export function planRun(flags: RunFlags): RunPlan {
  const { provider, keep, reuse, kubeconfig, image, 'node-image': nodeImage } = flags
  if (provider === 'kind') {
    if (kubeconfig !== undefined || image !== undefined)
      throw new CannotRunError('--kubeconfig and --image are for a cluster that exists: add --provider existing')
    return { provider, isKept: keep, isReused: reuse, nodeImage }
  }
  if (provider !== 'existing') throw new CannotRunError(`--provider ${provider}: known are kind and existing`)
  const kindOnly = [keep && '--keep', reuse && '--reuse', nodeImage !== undefined && '--node-image'].filter(Boolean)
  if (kindOnly.length > 0) throw new CannotRunError(`${kindOnly.join(', ')}: only for --provider kind`)
  if (kubeconfig === undefined) throw new CannotRunError('--provider existing: name the cluster with --kubeconfig FILE')
  if (image === undefined)
    throw new CannotRunError(
      '--provider existing: name an image that its nodes can pull with --image REPOSITORY:TAG; npm run image builds one to push',
    )
  return { provider, kubeconfig, image }
}

/** Folders of `e2e/scenarios` that the plan's cluster cannot run. They are no part of the run, and the log says so. */
export function leftOut(plan: RunPlan): readonly LeftOut[] {
  if (plan.provider === 'kind') return []
  return [
    {
      folder: 'nodes',
      why: 'they restart kubelets and read directories inside the containers that kind makes of nodes',
    },
    { folder: 'api-server', why: 'they hold the API of one Kubernetes version and need its programs built here' },
  ]
}
