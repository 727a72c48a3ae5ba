import { shellWord } from '@berth/text/shell-command'
import { advertiseDongles } from './steps/advertise.ts'
import { dongleNode } from './story-nodes.ts'
import type { StoryContext } from './story-context.ts'

/** Offers the dongles again, so that the pods of the examples run, and prints commands that can be pasted as they are. */
export async function printWhatNext(story: StoryContext): Promise<void> {
  const { narrator, kubeconfig, dir } = story
  const node = await dongleNode(story)
  await advertiseDongles(story, node)
  narrator.section('Try it')
  narrator.explain(
    `The cluster runs until Ctrl-C, and ${node} offers four dongles again. In another terminal, in this directory:`,
  )
  narrator.paste(`export KUBECONFIG=${shellWord(kubeconfig)}`)
  narrator.paste('./berth capacity')
  narrator.explain('Place a pod that takes three dongles, and see who holds them (needs kubectl):')
  narrator.paste('kubectl apply -f examples/dongle/extended-resource-pod.yaml')
  narrator.paste('./berth brief')
  narrator.paste('./berth capacity --pods')
  narrator.explain('Would a pod that takes two more fit? Nothing is created:')
  narrator.paste('./berth explain -f examples/dongle/extended-resource-pod-2.yaml')
  narrator.section('Next')
  narrator.explain('A rule of your own, in one TypeScript file:')
  narrator.paste('npm run new -- --help')
  narrator.explain('In a cluster of your own: charts/berth/README.md')
  narrator.explain(`Configurations and logs of this run: ${dir}`)
}
