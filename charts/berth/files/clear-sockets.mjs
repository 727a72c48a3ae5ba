// Runs on each node after an uninstall, as the user of the device plugin: waits until it has left the directory of its
// sockets, and deletes those that nobody answers any more, as a killed one leaves them. clear-sockets DIRECTORY SECONDS
import { readdirSync, unlinkSync } from 'node:fs'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

const [directory, seconds] = process.argv.slice(1)

/** Why the socket stays; undefined: it is gone. */
function clear(path) {
  return new Promise((resolve) => {
    const socket = connect(path)
    socket.once('connect', () => {
      socket.destroy()
      resolve(`${path} is still answered`)
    })
    socket.once('error', (error) => {
      if (error.code === 'ENOENT') return resolve(undefined)
      if (error.code !== 'ECONNREFUSED') return resolve(error.message)
      try {
        unlinkSync(path)
        console.log(`deleted ${path}, which nobody answers`)
      } catch (failed) {
        if (failed.code !== 'ENOENT') return resolve(failed.message)
      }
      resolve(undefined)
    })
  })
}

async function look() {
  let names
  try {
    names = readdirSync(directory)
  } catch (error) {
    return error.code === 'ENOENT' ? [] : [error.message]
  }
  const reasons = names.map((name) =>
    /^berth-.*\.sock$/.test(name) ? clear(`${directory}/${name}`) : `${directory}/${name} is not of Berth`,
  )
  return (await Promise.all(reasons)).filter((reason) => reason !== undefined)
}

const give = Date.now() + Number(seconds) * 1000
let left = await look()
while (left.length > 0 && Date.now() < give) {
  await sleep(500)
  left = await look()
}
for (const reason of left) console.log(reason)
process.exitCode = left.length > 0 ? 1 : 0
