// After everything is deleted: has the advertiser take back what was advertised; where it fails, says how to do it by hand.
// prune PROGRAM RELEASE NAMESPACE
import { spawnSync } from 'node:child_process'

const [program, release, namespace] = process.argv.slice(1)
const { status } = spawnSync(process.execPath, [program, 'prune', '--force'], { stdio: 'inherit' })
if (status !== 0) {
  console.log('What Berth advertised is still on the nodes. Repeat the uninstall:')
  console.log(`  helm uninstall ${release} --namespace ${namespace}`)
  console.log('or take it back from a checkout of Berth, with the kubeconfig of an admin:')
  console.log('  npx -- node apps/advertiser/dist/main.js prune --force --kubeconfig FILE')
  process.exitCode = 1
}
