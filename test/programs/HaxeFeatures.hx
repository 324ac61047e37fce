/* Haxe's interpreter offers the loop to programs by way of OCaml's luv.  Each feature
   prints one line; nothing printed depends on time or on the machine. */
import eval.luv.*;
import eval.luv.Result;
import eval.integers.Int64;

class HaxeFeatures {
  static final loop = Loop.defaultLoop();
  static final lines:Array<String> = [];

  static function ok<T>(result:Result<T>):T
    return switch result { case Ok(value): value; case Error(error): throw error.toString(); }

  static function told<T>(result:Result<T>):String
    return switch result { case Ok(_): "good"; case Error(error): error.toString(); }

  static function close(handle:Dynamic, ?what:String)
    Handle.close(handle, () -> if (what != null) lines.push(what));

  static function timers() {
    var timer = ok(Timer.init(loop)), count = 0;
    timer.start(() -> if (++count == 3) close(timer, "timer: three times"), 5, 5);
    var idle = ok(Idle.init(loop)), turns = 0;
    idle.start(() -> if (++turns == 5) close(idle, "idle: five turns"));
    var prepare = ok(Prepare.init(loop)), check = ok(Check.init(loop)), seen = [];
    prepare.start(() -> { seen.push("prepare"); close(prepare); });
    check.start(() -> { seen.push("check"); lines.push('turn: $seen'); close(check); });
  }

  static function echo(server:Tcp)
    server.listen(result -> {
      ok(result);
      var client = ok(Tcp.init(loop));
      ok(server.accept(client));
      client.readStart(result -> switch result {
        case Ok(bytes): client.write([bytes], (_, _) -> {});
        case Error(_): close(client);
      });
    });

  static function connections() {
    var server = ok(Tcp.init(loop)), total = 0, open = 20;
    ok(server.bind(ok(SockAddr.ipv4("127.0.0.1", 0))));
    echo(server);
    var address = ok(server.getSockName());
    for (_ in 0...open) {
      var client = ok(Tcp.init(loop)), got = 0;
      client.connect(address, result -> {
        ok(result);
        client.write([Buffer.fromString(StringTools.rpad("", "x", 10000))], (_, _) -> {});
        client.readStart(result -> {
          got += ok(result).size();
          if (got < 10000) return;
          total += got;
          close(client);
          if (--open == 0) close(server, 'tcp: $total bytes came back');
        });
      });
    }
    var refused = ok(Tcp.init(loop));
    refused.connect(ok(SockAddr.ipv4("127.0.0.1", 1)), result -> close(refused, 'refused: ${told(result)}'));
    var datagrams = ok(Udp.init(loop));
    ok(datagrams.bind(ok(SockAddr.ipv4("127.0.0.1", 0))));
    datagrams.recvStart((result, ?allocate) -> close(datagrams, 'udp: ${ok(result).data.toString()}'));
    datagrams.send([Buffer.fromString("datagram")], ok(datagrams.getSockName()), result -> ok(result));
    Dns.getAddrInfo(loop, "127.0.0.1", "80", result -> lines.push('name: ${ok(result).length > 0}'));
  }

  static function processes() {
    var pipe = ok(Pipe.init(loop)), out = "";
    ok(Process.spawn(loop, "sh", ["sh", "-c", "echo hello; exit 3"], {
      redirect: [Process.toParentPipe(Process.stdout, pipe, true, true, false)],
      onExit: (child, code, _) -> close(child, 'child: code $code')
    }));
    pipe.readStart(result -> switch result {
      case Ok(bytes): out += bytes.toString();
      case Error(error): close(pipe, 'pipe: ${StringTools.trim(out)}, then ${error.toString()}');
    });
    lines.push("no program: " + told(Process.spawn(loop, "/no/such/program", ["none"])));
    var signal = ok(Signal.init(loop));
    signal.start(SIGHUP, () -> close(signal, "signal: caught"));
    ok(Process.killPid(Pid.getPid(), SIGHUP));
  }

  static function threads() {
    var async:Async = null;
    async = ok(Async.init(loop, _ -> close(async, "async: told by another thread")));
    var answer = 0;
    ThreadPool.queueWork(loop, () -> { answer = 42; ok(async.send()); }, result -> lines.push('work: $answer'));
  }

  static function files() {
    File.mkdir(loop, "made", result -> lines.push('mkdir: ${told(result)}'));
    File.open(loop, "file", [CREAT, RDWR], [NUMERIC(420)], result -> {
      var file = ok(result);
      file.write(loop, Int64.ZERO, [Buffer.fromString("some text")], result -> {
        ok(result);
        file.fstat(loop, result -> {
          lines.push('size: ${ok(result).size.toInt()}');
          file.close(loop, result -> lines.push('close: ${told(result)}'));
        });
      });
    });
    File.open(loop, "none", [RDONLY], result -> lines.push('no file: ${told(result)}'));
  }

  static function main() {
    for (start in [timers, connections, processes, threads, files])
      start();
    loop.run(DEFAULT);
    lines.sort(Reflect.compare);
    var other = ok(Loop.init()), timer = ok(Timer.init(other));
    timer.start(() -> close(timer, "second loop: turned"), 1);
    other.run(DEFAULT);
    lines.push("second loop: " + told(other.close()));
    Sys.println(lines.join("\n") + '\n${lines.length} features');
  }
}
