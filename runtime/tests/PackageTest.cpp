//===- PackageTest.cpp - good and bad packages ----------------------------===//
#include "Fixture.h"

using namespace kfuse::test;

/// Message of opening and making ready, "" when that works.
static std::string messageOf(const PackageBuilder &builder,
                             bool onDevice = true) {
  return Opened(builder, onDevice).message;
}

static void expectMessage(const PackageBuilder &builder, const char *part) {
  std::string message = messageOf(builder);
  EXPECT_NE(message.find(part), std::string::npos)
      << "expected '" << part << "' in '" << message << "'";
}

TEST(Package, Describes) {
  Opened opened{PackageBuilder()};
  ASSERT_EQ(opened.status, KFUSE_OK) << opened.message;
  EXPECT_EQ(kfuse_package_input_count(opened.package), 1);
  KfuseValueInfo info;
  ASSERT_EQ(kfuse_package_input(opened.package, 0, &info), KFUSE_OK);
  EXPECT_STREQ(info.name, "x");
  EXPECT_EQ(info.dtype, KFUSE_F32);
  EXPECT_EQ(info.sizes[0], -1);
  EXPECT_EQ(info.sizes[1], 4);
  KfuseSymbolInfo symbol;
  ASSERT_EQ(kfuse_package_symbol(opened.package, 0, &symbol), KFUSE_OK);
  EXPECT_EQ(symbol.max, 64);
  int64_t value = 7, sizes[2];
  ASSERT_EQ(kfuse_package_input_sizes(opened.package, 0, &value, sizes),
            KFUSE_OK);
  EXPECT_EQ(sizes[0], 7);
  EXPECT_EQ(kfuse_package_input(opened.package, 1, &info),
            KFUSE_INVALID_ARGUMENT);
}

TEST(Package, RefusesWhatIsNoPackage) {
  KfusePackage *package = nullptr;
  EXPECT_EQ(kfuse_package_open("no-such-file.kfuse", &package), KFUSE_IO_ERROR);
  EXPECT_EQ(kfuse_package_open(".", &package), KFUSE_IO_ERROR);
  std::string text = "not a zip file";
  EXPECT_EQ(kfuse_package_open_memory(text.data(), text.size(), &package),
            KFUSE_BAD_PACKAGE);
  std::string zip = makeZip({{"other.json", "{}"}});
  EXPECT_EQ(kfuse_package_open_memory(zip.data(), zip.size(), &package),
            KFUSE_BAD_PACKAGE);
  zip = makeZip({{"manifest.json", std::string(1000, ' ')}}, true);
  EXPECT_EQ(kfuse_package_open_memory(zip.data(), zip.size(), &package),
            KFUSE_BAD_PACKAGE);
  EXPECT_NE(std::string(kfuse_last_error()).find("compressed"),
            std::string::npos);
  zip = makeZip({{"../manifest.json", "{}"}});
  EXPECT_EQ(kfuse_package_open_memory(zip.data(), zip.size(), &package),
            KFUSE_BAD_PACKAGE);
  EXPECT_EQ(package, nullptr);
}

/// Moves the numbers of the last directory record into a ZIP64 field, as they
/// are beyond 4 GiB.
static std::string withZip64(std::string zip) {
  auto text = [](uint64_t value, unsigned bytes) {
    return std::string(reinterpret_cast<const char *>(&value), bytes);
  };
  size_t record = zip.rfind("PK\1\2"), end = zip.rfind("PK\5\6");
  std::string sizes = zip.substr(record + 20, 8),
              offset = zip.substr(record + 42, 4), zeros(4, '\0');
  std::string field = text(1, 2) + text(24, 2) + sizes.substr(4) + zeros +
                      sizes.substr(0, 4) + zeros + offset + zeros;
  zip.replace(record + 20, 8, 8, '\xff');
  zip.replace(record + 42, 4, 4, '\xff');
  uint16_t name = static_cast<uint8_t>(zip[record + 28]);
  zip[record + 30] = static_cast<char>(field.size());
  zip.insert(record + 46 + name, field);
  end += field.size();
  uint32_t directory = 0;
  memcpy(&directory, &zip[end + 12], 4);
  return zip.replace(end + 12, 4, text(directory + field.size(), 4));
}

TEST(Package, ReadsZip64) {
  std::string zip = withZip64(PackageBuilder().build());
  KfusePackage *package = nullptr;
  ASSERT_EQ(kfuse_package_open_memory(zip.data(), zip.size(), &package),
            KFUSE_OK)
      << kfuse_last_error();
  kfuse_package_release(package);
}

TEST(Package, SurvivesTruncationAtEveryLength) {
  std::string bytes = PackageBuilder().build();
  // Nothing of the content is in the last record, of 22 bytes.
  for (size_t length = 0; length < bytes.size() - 22; length += 13) {
    KfusePackage *package = nullptr;
    EXPECT_NE(kfuse_package_open_memory(bytes.data(), length, &package),
              KFUSE_OK);
    EXPECT_EQ(package, nullptr);
  }
}

TEST(Package, SurvivesFlippedBytes) {
  const std::string good = PackageBuilder().build();
  for (size_t i = 0; i < 2 * good.size(); i += 3) {
    std::string bytes = good;
    // Digits stay digits half of the time, so that numbers change.
    char &byte = bytes[i % good.size()];
    byte = static_cast<char>(byte ^ (i < good.size() ? 0x15 : 0x07));
    KfusePackage *package = nullptr;
    KfuseWeights *weights = nullptr;
    KfuseModel *model = nullptr;
    KfuseModelOptions options = {};
    options.provider = getFakeProvider();
    options.program = KFUSE_PROGRAM_PLAN;
    if (kfuse_package_open_memory(bytes.data(), bytes.size(), &package) ==
            KFUSE_OK &&
        kfuse_weights_create(package, nullptr, &weights) == KFUSE_OK)
      (void)kfuse_model_create(package, weights, &options, &model);
    kfuse_model_release(model);
    kfuse_weights_release(weights);
    kfuse_package_release(package);
  }
}

TEST(Package, ChecksVersionsAndKinds) {
  PackageBuilder builder;
  builder.manifest["version"] = 2;
  expectMessage(builder, "package version 2");
  builder = PackageBuilder();
  builder.manifest["format"] = "zip";
  expectMessage(builder, "expected 'kfuse-package'");
  builder = PackageBuilder();
  builder.plan["version"] = 9;
  expectMessage(builder, "version 9");
  builder = PackageBuilder();
  builder.plan["steps"][0]["op"] = "jump";
  expectMessage(builder, "unknown step 'jump'");
  builder = PackageBuilder();
  builder.manifest["weights"][0]["dtype"] = "f31";
  expectMessage(builder, "unknown dtype 'f31'");
}

TEST(Package, ChecksWeights) {
  PackageBuilder builder;
  builder.members[0].second.resize(12);
  expectMessage(builder, "weight 'b' reaches beyond its storage of 12 bytes");
  builder = PackageBuilder();
  builder.manifest["weights"][0]["strides"] = {INT64_MAX};
  expectMessage(builder, "reaches beyond");
  builder = PackageBuilder();
  builder.manifest["weights"][0]["source"]["member"] = "weights/7";
  expectMessage(builder, "weights 'weights/7' are not in the package");
  builder = PackageBuilder();
  builder.manifest["weights"][0]["source"]["crc32"] = 1;
  expectMessage(builder, "are not those that the package was compiled for");
}

TEST(Package, ChecksPrograms) {
  PackageBuilder builder;
  builder.plan["tensors"][2]["storage"] = {{"view", 2}};
  expectMessage(builder, "tensor 2 is a view of itself");
  builder = PackageBuilder();
  builder.plan["tensors"][0]["sizes"][0] = "s9";
  expectMessage(builder, "unknown symbol 's9'");
  builder = PackageBuilder();
  builder.plan["tensors"][0]["sizes"][0] = Json::array({"add", 1});
  expectMessage(builder, "1 operands");
  builder = PackageBuilder();
  builder.plan["steps"][0]["variants"][0]["tensors"] = {0, 1};
  expectMessage(builder, "2 tensors and 1 scalars for kernel");
  builder = PackageBuilder();
  builder.plan["steps"][0]["variants"][0]["guards"] =
      Json::array({{{"kind", "divisible"}, {"expr", "s0"}, {"by", 2}}});
  expectMessage(builder, "expected a catch-all");
  builder = PackageBuilder();
  builder.plan["outputs"][0]["t"] = 44;
  expectMessage(builder, "t is 44");
  builder = PackageBuilder();
  builder.members[1].second = "junk";
  expectMessage(builder, "invalid image");
  builder = PackageBuilder();
  builder.generic["steps"][0]["target"] = "aten::unheard";
  EXPECT_NE(messageOf(builder, false).find("no such operator"),
            std::string::npos);
}

/// The bias taken from a file that torch.export wrote.
static PackageBuilder withReferencedWeight() {
  PackageBuilder builder;
  builder.manifest["weights"][0]["source"] = {
      {"file", "training-block.pt2"},
      {"member", "training-block/data/weights/weight_0"},
      {"bytes", 32},
      {"crc32", 0xf6a0f2c1}};
  return builder;
}

TEST(Package, TakesWeightsFromTheExportedFile) {
  for (std::string search :
       {std::string(KFUSE_FIXTURES),
        std::string(KFUSE_FIXTURES "/training-block.pt2")}) {
    for (bool onDevice : {false, true}) {
      Opened opened(withReferencedWeight(), onDevice, {}, search.c_str());
      ASSERT_EQ(opened.status, KFUSE_OK) << opened.message;
      Matrix x(1, opened.device());
      x.values[0] = 0;
      KfuseArg in = x.arg(), out = {};
      ASSERT_EQ(kfuse_run(opened.context, &in, 1, &out, 1, nullptr), KFUSE_OK);
      EXPECT_EQ(static_cast<float *>(out.tensor.data)[0], 2.0f);
    }
  }
}

TEST(Package, ExplainsReferencedWeightsThatAreMissing) {
  Opened missing(withReferencedWeight(), false, {}, "/nowhere");
  EXPECT_EQ(missing.status, KFUSE_IO_ERROR);
  EXPECT_NE(missing.message.find("cannot open '/nowhere'"), std::string::npos)
      << missing.message;
  Opened other(withReferencedWeight(), false, {},
               KFUSE_FIXTURES "/dynamic.pt2");
  EXPECT_EQ(other.status, KFUSE_BAD_PACKAGE);
  EXPECT_NE(other.message.find("'training-block.pt2'"), std::string::npos);
  PackageBuilder builder = withReferencedWeight();
  builder.manifest["weights"][0]["source"]["file"] = "../w.pt2";
  EXPECT_NE(messageOf(builder).find("has a folder in its name"),
            std::string::npos);
}

TEST(Package, NoticesDamage) {
  auto openDamaged = [](const std::string &text, bool isPackage) {
    std::string bytes = PackageBuilder().build();
    bytes[bytes.find(text)] ^= 1;
    KfusePackage *package = nullptr;
    KfuseWeights *weights = nullptr;
    KfuseModel *model = nullptr;
    KfuseStatus status =
        kfuse_package_open_memory(bytes.data(), bytes.size(), &package);
    EXPECT_EQ(status == KFUSE_OK, isPackage);
    if (isPackage) {
      EXPECT_EQ(kfuse_package_verify(package), KFUSE_BAD_PACKAGE);
      KfuseWeightsOptions options = {};
      options.table = getFakeDevice();
      options.device = {KFUSE_CUDA, 0};
      KfuseModelOptions modelOptions = {};
      modelOptions.provider = getFakeProvider();
      EXPECT_EQ(kfuse_weights_create(package, &options, &weights), KFUSE_OK);
      EXPECT_EQ(kfuse_model_create(package, weights, &modelOptions, &model),
                KFUSE_BAD_PACKAGE);
    }
    std::string message = kfuse_last_error();
    kfuse_model_release(model);
    kfuse_weights_release(weights);
    kfuse_package_release(package);
    return message;
  };
  EXPECT_NE(openDamaged("kfuse-package", false).find("'manifest.json' has"),
            std::string::npos);
  EXPECT_NE(openDamaged("l_add_mul", true).find("'plan.json' has checksum"),
            std::string::npos);
  EXPECT_NE(openDamaged("fake code", true)
                .find("'kernels/sm_90a/all.cubin' has checksum"),
            std::string::npos);
  Opened good{PackageBuilder()};
  EXPECT_EQ(kfuse_package_verify(good.package), KFUSE_OK);
}
