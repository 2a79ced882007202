import { startSigningServer } from '/work/main/spec/support/signing-server.ts';
import { peerZones } from '/work/main/spec/rfc1034/peer-zones.ts';
const s = await startSigningServer();
for (const [n,t] of Object.entries(peerZones)) { await s.create(n,t, n==='dname.test'?'ns1.wild.test':undefined); console.log(n, await s.sign(n, process.argv[2] as any)); }
console.log(s.port);
setTimeout(async()=>{await s[Symbol.asyncDispose]();process.exit()}, 1000*Number(process.argv[3]??60));
