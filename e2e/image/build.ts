/** `npm run image`: builds the image of all apps. */
import { type CommandDefinition, commandLineOrExit } from '@berth/process/command'
import { errorText } from '@berth/text/error-text'
import { runOrThrow } from '../cluster/run-command.ts'
import { REPOSITORY, buildAppImage } from './app-image.ts'

const command: CommandDefinition = {
  name: 'npm run image --',
  summary: 'Builds one image with all apps, to push to a registry or to inspect.',
  flags: [
    {
      name: 'tag',
      placeholder: 'TAG',
      description: `Name of the image. Default: ${REPOSITORY}:HASH, the hash of its contents.`,
    },
    {
      name: 'node',
      placeholder: 'IMAGE',
      description: 'Image with Node 26 in /usr/local/bin and a shell. Default: see Dockerfile.',
    },
    {
      name: 'base',
      placeholder: 'IMAGE',
      description: 'Image with glibc that the apps are added to. Default: see Dockerfile.',
    },
    {
      name: 'target',
      placeholder: 'STAGE',
      description:
        "kube-scheduler: the scheduler as the command kube-scheduler, for kubeadm's manifest. Default: all apps.",
    },
    {
      name: 'offline',
      description:
        "Build both images from Debian's packages and npm's Node instead of pulling them. Run e2e/node-image/build-node-image first.",
    },
    { name: 'engine', placeholder: 'NAME', description: 'Container engine: docker or podman. Default: docker.' },
  ],
  examples: [
    { command: 'npm run image -- --tag registry.example.com/berth:0.1.0', description: 'An image for your registry' },
  ],
}

const line = commandLineOrExit(command, process.argv.slice(2))
try {
  await runOrThrow('turbo', ['run', 'build', '--output-logs=errors-only'], { timeoutMs: 10 * 60_000 })
  const [tag, node, base, target] = [line.text('tag'), line.text('node'), line.text('base'), line.text('target')]
  await buildAppImage({
    engine: line.text('engine') ?? 'docker',
    ...(tag !== undefined && { tag }),
    ...(node !== undefined && { node }),
    ...(base !== undefined && { base }),
    ...(target !== undefined && { target }),
    isOffline: line.has('offline'),
    log: console.log,
  })
} catch (error) {
  console.error(errorText(error))
  process.exitCode = 1
}
