import type { Step } from './step.ts'
import { advertiseStep } from './steps/advertise.ts'
import { appsStep } from './steps/apps.ts'
import { chaosStep } from './steps/chaos.ts'
import { clusterStep } from './steps/cluster.ts'
import { explainStep } from './steps/explain.ts'
import { handOutStep } from './steps/hand-out.ts'
import { kubeletRestartStep } from './steps/kubelet-restart.ts'
import { pendingStep } from './steps/pending.ts'
import { placeStep } from './steps/place.ts'
import { ruleStep } from './steps/rule.ts'
import { withdrawSteps } from './steps/withdraw.ts'
import { unhealthyStep } from './steps/unhealthy.ts'

/** Returns the chapters of the story in order. */
export function storySteps(): readonly Step[] {
  const { recordState, withdraw } = withdrawSteps()
  return [
    clusterStep,
    recordState,
    appsStep,
    advertiseStep,
    placeStep,
    pendingStep,
    explainStep,
    handOutStep,
    unhealthyStep,
    kubeletRestartStep,
    ruleStep,
    chaosStep,
    withdraw,
  ]
}
