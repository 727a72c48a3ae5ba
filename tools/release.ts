/** `npm run release -- --dry-run`: makes every file of a release, offline, and proves that it works. */
import { type CommandDefinition, commandLineOrExit } from '@berth/process/command'
import { errorText } from '@berth/text/error-text'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { executablesStep } from './release/executables/executables-step.ts'
import { imagesStep } from './release/images/images-step.ts'
import { chartStep } from './release/chart/chart-step.ts'
import { checkoutStep } from './release/checkout/checkout-step.ts'
import { notesStep } from './release/notes/notes-step.ts'
import { onlineStepsText } from './release/online-steps.ts'
import { npmStep } from './release/npm/npm-step.ts'
import { sbomStep } from './release/sbom/sbom-step.ts'
import { krewStep } from './release/krew/krew-step.ts'
import { releasedVersion } from './release/released-version.ts'
import { releaseTable } from './release/release-table.ts'
import { chosenSteps } from './release/chosen-steps.ts'
import { runProgram } from './release/run-program.ts'
import { commitSeconds, runRelease } from './release/run-release.ts'

const root = join(import.meta.dirname, '..')
const allSteps = [checkoutStep, npmStep, executablesStep, krewStep, imagesStep, chartStep, sbomStep, notesStep]
const command: CommandDefinition = {
  name: 'npm run release --',
  summary: 'Makes every file of a release and checks it. Publishes nothing.',
  arguments: [
    {
      name: 'STEP',
      description: 'Run only these steps, and those whose files they read. Default: all.',
      isRepeatable: true,
      choices: allSteps.map(({ name }) => name),
    },
  ],
  flags: [
    { name: 'dry-run', description: 'Required: publishing is done by hand (docs/releasing.md).' },
    { name: 'once', description: 'Do not build a second time to compare the digests.' },
    {
      name: 'out',
      placeholder: 'DIR',
      description:
        'Folder for the files: a new or empty one, or that of an earlier release, which is emptied. Default: .berth/release.',
    },
    {
      name: 'download-url',
      placeholder: 'URL',
      description: 'Folder from which users will download the files. Default: https://berth.dev/releases/vVERSION.',
    },
  ],
  notes: [
    `Steps: ${allSteps.map(({ name, summary }) => `${name} (${summary})`).join(', ')}.`,
    'Needs Linux, Go and, with nothing cached, npm, Debian packages and Go modules. docs/releasing.md describes each file.',
  ],
  examples: [
    { command: 'npm run release -- --dry-run', description: 'Everything, built twice' },
    { command: 'npm run release -- --dry-run --once executables krew', description: 'Only the kubectl plugins' },
  ],
}

const line = commandLineOrExit(command, process.argv.slice(2))
if (line.has('dry-run')) await release()
else {
  console.error('npm run release publishes nothing: add --dry-run, then follow docs/releasing.md.')
  process.exitCode = 2
}

async function release(): Promise<void> {
  const version = releasedVersion(root)
  const out = line.text('out') ?? join(root, '.berth', 'release')
  try {
    const { artefacts, checked } = await runRelease({
      steps: chosenSteps(allSteps, line.words),
      context: {
        root,
        out,
        cacheDir: join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'berth', 'release'),
        version,
        epochSeconds: await commitSeconds(root),
        downloadUrl: line.text('download-url') ?? `https://berth.dev/releases/v${version}`,
        log: (text) => console.error(`… ${text}`),
      },
      isBuiltTwice: !line.has('once'),
      async buildWorkspace(isForced) {
        const flags = isForced ? ['--force'] : []
        await runProgram('turbo', ['run', 'build', '--output-logs=errors-only', ...flags], { cwd: root })
      },
    })
    console.log(checked.map((sentence) => `✔ ${sentence}`).join('\n'))
    console.log(`\n${releaseTable(artefacts)}\n\n${artefacts.length} files in ${out}\n\n${onlineStepsText()}`)
  } catch (error) {
    console.error(errorText(error))
    process.exitCode = 1
  }
}
