// agents.cjs OUT PLATFORM VERSION: the plugin folder of Claude Code and the .mcpb bundle of Claude Desktop for one platform, of the
// programs in OUT/PLATFORM. Times in the bundle are SOURCE_DATE_EPOCH. yazl, which writes the archive, comes with vsce.
const { cpSync, createWriteStream, mkdirSync, readFileSync, writeFileSync } = require("node:fs");
const { join } = require("node:path");
const { ZipFile } = require("yazl");

const [out, platform, version] = process.argv.slice(2);
const from = join(__dirname, "../../agents/install");
const built = join(out, platform);
const exe = platform.startsWith("win32") ? ".exe" : "";
const system = platform.startsWith("alpine") ? "linux" : platform.split("-")[0];
const json = (path) => JSON.parse(readFileSync(path, "utf8"));

// The plugin.
const plugin = join(built, "claude-code-plugin");
cpSync(join(from, "plugin"), plugin, { recursive: true });
const about = join(plugin, ".claude-plugin", "plugin.json");
writeFileSync(about, JSON.stringify({ ...json(about), version }, null, 2) + "\n");
mkdirSync(join(plugin, "bin"));
for (const name of ["ctxledger", "ctxmcp", "ctxhook"]) cpSync(join(built, name + exe), join(plugin, "bin", name + exe));
cpSync(join(built, "THIRD_PARTY.txt"), join(plugin, "THIRD_PARTY.txt"));
cpSync(join(__dirname, "../../LICENSE"), join(plugin, "LICENSE"));

// The bundle.
const manifest = json(join(from, "mcpb", "manifest.json"));
manifest.version = version;
manifest.compatibility.platforms = [system];
if (exe) {
  manifest.server.entry_point += exe;
  manifest.server.mcp_config.command += exe;
}
const mtime = new Date(Number(process.env.SOURCE_DATE_EPOCH) * 1000);
const zip = new ZipFile();
zip.addBuffer(Buffer.from(JSON.stringify(manifest, null, 2) + "\n"), "manifest.json", { mtime, mode: 0o100644 });
// The server starts its daemon from its own program.
zip.addBuffer(readFileSync(join(built, "ctxmcp" + exe)), "server/ctxmcp" + exe, { mtime, mode: 0o100755 });
for (const [path, name] of [
  [join(__dirname, "../../LICENSE"), "LICENSE"],
  [join(built, "THIRD_PARTY.txt"), "THIRD_PARTY.txt"],
])
  zip.addBuffer(readFileSync(path), name, { mtime, mode: 0o100644 });
zip.end();
zip.outputStream.pipe(createWriteStream(join(out, `ctxledger-${version}-${platform}.mcpb`)));
